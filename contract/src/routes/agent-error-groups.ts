import { Type } from 'typebox';
import { defineRoute, jsonBody } from '../route.ts';
import { AgentError } from '../schemas/agent-error.ts';
import {
  AgentErrorGroup,
  AgentErrorGroupAgent,
  AgentErrorGroupHistory,
  AgentErrorGroupOrigin,
  AgentErrorGroupTrends,
  agentErrorGroupSorts,
  historyBuckets,
  MuteAgentErrorGroup,
  maxHistoryBuckets,
  maxUpdatedGroups,
  UpdateAgentErrorGroups,
} from '../schemas/agent-error-group.ts';
import { IDParameter, OneOf, pageQuery, TimestampInput } from '../schemas/common.ts';
import { current, dismissed } from './agent-error-filters.ts';

const groupParams = Type.Object({ agentErrorGroupID: IDParameter('The group.') });

const stateQuery = {
  dismissed: Type.Optional(
    Type.Boolean({ description: 'true: dismissed errors. false or absent: open ones.' }),
  ),
  current: Type.Optional(
    Type.Boolean({
      description:
        'true: open errors of configurations that their agents still have. false: open errors of earlier configurations. Absent: true, unless `dismissed` is given. It cannot be combined with dismissed=true.',
    }),
  ),
};

const reading = {
  tag: 'Agent error groups',
  credentials: ['access', 'project'],
  permission: 'read:agent_error',
} as const;

const changing = { ...reading, permission: 'update:agent_error' } as const;

export const listAgentErrorGroups = defineRoute({
  ...reading,
  operationID: 'listAgentErrorGroups',
  method: 'GET',
  path: '/v1/projects/{projectID}/agent_error_groups',
  summary: "List groups of a project's agent errors",
  description:
    'Errors with the same cause, as one item. Without `dismissed` and `current`, it lists groups with open errors of configurations that their agents still have, and counts these errors. With sort=firstSeen, paging neither skips nor repeats a group; with another order, a group that is reported meanwhile moves to the front and may be missing on later pages.',
  params: Type.Object({ projectID: IDParameter('The project.') }),
  query: Type.Object({
    ...pageQuery,
    ...stateQuery,
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description:
          'Only groups whose pattern or example contains this text; the case of ASCII letters is ignored.',
      }),
    ),
    fleet_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description:
          'Only groups with errors of agents of this fleet. Agents and errors are then counted in this fleet only.',
      }),
    ),
    core_instance_id: Type.Optional(
      IDParameter(
        'Only groups with errors of agents for which this core instance last spoke. Agents and errors are then counted on these alone.',
      ),
    ),
    muted: Type.Optional(
      Type.Boolean({
        description:
          'true: only groups that are muted now. Without `dismissed` and `current`, all of their errors count then, because further errors of a muted group are stored as dismissed. false: only groups that are not muted. Absent: both.',
      }),
    ),
    since: Type.Optional(TimestampInput('Only groups that were last seen at this time or later.')),
    until: Type.Optional(TimestampInput('Only groups that were first seen before this time.')),
    sort: Type.Optional(
      OneOf(agentErrorGroupSorts, { description: 'The order, descending. Absent: lastSeen.' }),
    ),
  }),
  answer: {
    status: 200,
    schema: Type.Array(AgentErrorGroup),
    description: 'A page of groups.',
    paged: true,
  },
  problems: ['not_found'],
});

export const getAgentErrorGroup = defineRoute({
  ...reading,
  operationID: 'getAgentErrorGroup',
  method: 'GET',
  path: '/v1/agent_error_groups/{agentErrorGroupID}',
  summary: 'Get a group of agent errors',
  params: groupParams,
  answer: { status: 200, schema: AgentErrorGroup, description: 'The group.' },
  problems: ['not_found'],
});

export const listAgentErrorGroupAgents = defineRoute({
  ...reading,
  operationID: 'listAgentErrorGroupAgents',
  method: 'GET',
  path: '/v1/agent_error_groups/{agentErrorGroupID}/agents',
  summary: 'List the agents of a group',
  description: 'Agents with errors of the group, newest agent first.',
  params: groupParams,
  query: Type.Object({ ...pageQuery, ...stateQuery }),
  answer: {
    status: 200,
    schema: Type.Array(AgentErrorGroupAgent),
    description: 'A page of agents.',
    paged: true,
  },
  problems: ['not_found'],
});

export const listAgentErrorGroupErrors = defineRoute({
  ...reading,
  operationID: 'listAgentErrorGroupErrors',
  method: 'GET',
  path: '/v1/agent_error_groups/{agentErrorGroupID}/errors',
  summary: 'List the errors of a group',
  description: 'Newest first.',
  params: groupParams,
  query: Type.Object({ ...pageQuery, dismissed, current }),
  answer: {
    status: 200,
    schema: Type.Array(AgentError),
    description: 'A page of agent errors.',
    paged: true,
  },
  problems: ['not_found'],
});

export const getAgentErrorGroupHistory = defineRoute({
  ...reading,
  operationID: 'getAgentErrorGroupHistory',
  method: 'GET',
  path: '/v1/agent_error_groups/{agentErrorGroupID}/history',
  summary: 'Get the history of a group',
  description: `How many errors were created in each minute, hour or day, and on how many agents. At most ${maxHistoryBuckets} buckets.`,
  params: groupParams,
  query: Type.Object({
    bucket: Type.Optional(
      OneOf(historyBuckets, {
        description: 'The length of time that is counted together. Absent: hour.',
      }),
    ),
    since: Type.Optional(
      TimestampInput(
        'The first bucket contains this time. Absent: an hour before `until` by minute, a day by hour, 30 days by day.',
      ),
    ),
    until: Type.Optional(TimestampInput('The last bucket starts before this time. Absent: now.')),
  }),
  answer: { status: 200, schema: AgentErrorGroupHistory, description: 'The history.' },
  problems: ['not_found'],
});

export const getAgentErrorGroupOrigin = defineRoute({
  ...reading,
  operationID: 'getAgentErrorGroupOrigin',
  method: 'GET',
  path: '/v1/agent_error_groups/{agentErrorGroupID}/origin',
  summary: 'Get where a group began, and who has it',
  description:
    'The first agent and its configuration, and how many of the agents with this configuration have the errors now. `config_diff` of the agent shows what changed in it.',
  params: groupParams,
  answer: { status: 200, schema: AgentErrorGroupOrigin, description: 'The origin.' },
  problems: ['not_found'],
});

export const getAgentErrorGroupTrends = defineRoute({
  ...reading,
  operationID: 'getAgentErrorGroupTrends',
  method: 'GET',
  path: '/v1/projects/{projectID}/agent_error_group_trends',
  summary: 'Get how the groups of a project grew in the last hour',
  params: Type.Object({ projectID: IDParameter('The project.') }),
  answer: { status: 200, schema: AgentErrorGroupTrends, description: 'The trends.' },
  problems: ['not_found'],
});

export const updateAgentErrorGroups = defineRoute({
  ...changing,
  operationID: 'updateAgentErrorGroups',
  method: 'PATCH',
  path: '/v1/projects/{projectID}/agent_error_groups',
  summary: 'Assign groups of agent errors, and note what is known of them',
  description: `Changes up to ${maxUpdatedGroups} groups, all or none. Nothing else depends on it: errors of the groups are stored and counted as before.`,
  params: Type.Object({ projectID: IDParameter('The project.') }),
  body: jsonBody(UpdateAgentErrorGroups),
  answer: { status: 200, schema: Type.Array(AgentErrorGroup), description: 'The groups.' },
  problems: ['not_found'],
});

export const muteAgentErrorGroup = defineRoute({
  ...changing,
  operationID: 'muteAgentErrorGroup',
  method: 'POST',
  path: '/v1/agent_error_groups/{agentErrorGroupID}/mute',
  summary: 'Mute a group of agent errors',
  description:
    'Until then, new errors of the group are stored as dismissed. Open errors stay open. A group that is muted already gets the new time and reason.',
  params: groupParams,
  body: jsonBody(MuteAgentErrorGroup),
  answer: { status: 200, schema: AgentErrorGroup, description: 'The muted group.' },
  problems: ['not_found'],
  repeatable: true,
});

export const unmuteAgentErrorGroup = defineRoute({
  ...changing,
  operationID: 'unmuteAgentErrorGroup',
  method: 'POST',
  path: '/v1/agent_error_groups/{agentErrorGroupID}/unmute',
  summary: 'Unmute a group of agent errors',
  description: 'New errors of the group are stored as open again. A group that is not muted stays as it is.',
  params: groupParams,
  query: Type.Object({
    muted_until: Type.Optional(
      TimestampInput(
        'Only if the mute ends at this time: one that replaced it stays. Absent: whenever it ends.',
      ),
    ),
  }),
  answer: { status: 200, schema: AgentErrorGroup, description: 'The group.' },
  problems: ['not_found'],
  repeatable: true,
});
