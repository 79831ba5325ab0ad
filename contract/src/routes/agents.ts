import { Type } from 'typebox';
import { agentStatuses } from '../agent-statuses.ts';
import { defineRoute, jsonBody, largeBodyLimitBytes } from '../route.ts';
import {
  Agent,
  AgentConfig,
  AgentConfigDiff,
  AgentWithConfig,
  CreatedMetrics,
  DeletedAgents,
  maxListedFleets,
  maxMachineIDLength,
  RegisterAgent,
  RegisteredAgent,
  ReportedFleets,
  SendHeartbeat,
  UpdateAgent,
} from '../schemas/agent.ts';
import { IDParameter, NameFilter, OneOf, pageQuery, Text, TimestampInput } from '../schemas/common.ts';

const leftOut =
  '`metadata`, `rawConfig` or both: the fields of which not everything was stored because they exceed a limit of the installation.';

const params = Type.Object({ agentID: IDParameter('The agent.') });

export const registerAgent = defineRoute({
  operationID: 'registerAgent',
  method: 'POST',
  path: '/v1/agents',
  tag: 'Agents',
  summary: 'Register an agent',
  description:
    'Idempotent by `machineID`: a machine id that is known in the project is the same agent, which gets a new token. Its previous token stays valid until the new one has been used successfully. With `MUSTER_REGISTRATION=once`, registering a known machine needs the token of its agent as `X-Agent-Token` in addition to the project token, or an operator must have released the machine. Unknown fields are ignored.',
  credentials: ['project'],
  proof: 'agent',
  permission: 'create:agent',
  body: jsonBody(RegisterAgent, largeBodyLimitBytes),
  answer: {
    status: 201,
    schema: RegisteredAgent,
    description: 'The agent and its token.',
    headers: { 'Muster-Left-Out': leftOut },
  },
  problems: ['machine_registered', 'too_many_agents'],
});

const agentFilter = {
  name: NameFilter('agents'),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        'Only agents whose name or machine id contains this text; the case of ASCII letters is ignored.',
    }),
  ),
  version: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'Only agents that report this version.' }),
  ),
  status: Type.Optional(OneOf(agentStatuses, { description: 'Only agents in this state.' })),
  tag: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'Only agents with this tag.' }),
  ),
  fleet_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'Only agents of this fleet.' }),
  ),
};

export const listAgents = defineRoute({
  operationID: 'listAgents',
  method: 'GET',
  path: '/v1/projects/{projectID}/agents',
  tag: 'Agents',
  summary: 'List agents of a project',
  description:
    'Newest first. A page can have fewer agents than `last` if their metadata is large: follow the `Link` header.',
  credentials: ['access', 'project'],
  permission: 'read:agent',
  params: Type.Object({ projectID: IDParameter('The project.') }),
  query: Type.Object({
    ...pageQuery,
    ...agentFilter,
    core_instance_id: Type.Optional(IDParameter('Only agents for which this core instance last spoke.')),
    open_errors: Type.Optional(
      Type.Boolean({
        description:
          'true: only agents with an open error of the configuration that they run. false: only agents without one.',
      }),
    ),
  }),
  answer: { status: 200, schema: Type.Array(Agent), description: 'A page of agents.', paged: true },
  problems: ['not_found'],
});

export const getReportedFleets = defineRoute({
  operationID: 'getReportedFleets',
  method: 'GET',
  path: '/v1/projects/{projectID}/reported_fleets',
  tag: 'Agents',
  summary: 'Get the fleets that agents report',
  description: `Also those that were not created in this service, at most ${maxListedFleets}. Agents without a fleet are in none of them.`,
  credentials: ['access', 'project'],
  permission: 'read:fleet',
  params: Type.Object({ projectID: IDParameter('The project.') }),
  answer: { status: 200, schema: ReportedFleets, description: 'The fleets.' },
  problems: ['not_found'],
});

export const getAgent = defineRoute({
  operationID: 'getAgent',
  method: 'GET',
  path: '/v1/agents/{agentID}',
  tag: 'Agents',
  summary: 'Get an agent',
  credentials: ['access', 'project'],
  permission: 'read:agent',
  params,
  answer: { status: 200, schema: AgentWithConfig, description: 'The agent with its configuration.' },
  problems: ['not_found', 'agent_deleted'],
});

export const updateAgent = defineRoute({
  operationID: 'updateAgent',
  method: 'PATCH',
  path: '/v1/agents/{agentID}',
  tag: 'Agents',
  summary: 'Update an agent',
  description:
    'Absent and null fields stay as they are. A changed `rawConfig` starts a new configuration: errors with the same texts are then stored again. Unknown fields are ignored.',
  credentials: ['agent', 'project', 'access'],
  permission: 'update:agent',
  params,
  body: jsonBody(UpdateAgent, largeBodyLimitBytes),
  answer: { status: 204, description: 'Updated.', headers: { 'Muster-Left-Out': leftOut } },
  problems: ['not_found', 'agent_deleted'],
});

export const releaseAgent = defineRoute({
  operationID: 'releaseAgent',
  method: 'POST',
  path: '/v1/agents/{agentID}/release',
  tag: 'Agents',
  summary: "Release an agent's machine",
  description:
    'Lets the machine be registered once more without the token of its agent, with `MUSTER_REGISTRATION=once`. Tokens of the agent stay valid until the new one is used.',
  credentials: ['access'],
  permission: 'update:agent',
  params,
  repeatable: true,
  answer: { status: 204, description: 'Released.' },
  problems: ['not_found', 'agent_deleted'],
});

export const deleteAgent = defineRoute({
  operationID: 'deleteAgent',
  method: 'DELETE',
  path: '/v1/agents/{agentID}',
  tag: 'Agents',
  summary: 'Delete an agent',
  description:
    'Also deletes its tokens, errors and configurations. If its machine registers later, that is a new agent.',
  credentials: ['access', 'project'],
  permission: 'delete:agent',
  params,
  answer: { status: 204, description: 'Deleted.' },
  problems: ['not_found', 'agent_deleted'],
});

export const deleteAgents = defineRoute({
  operationID: 'deleteAgents',
  method: 'DELETE',
  path: '/v1/projects/{projectID}/agents',
  tag: 'Agents',
  summary: 'Delete many agents',
  description:
    'Deletes the agents that match all given filters, as the deletion of a single agent does; at least one filter is needed. The answer comes when all of them are deleted. If it is lost, send the request again.',
  credentials: ['access', 'project'],
  permission: 'delete:agent',
  params: Type.Object({ projectID: IDParameter('The project.') }),
  query: Type.Object({
    ...agentFilter,
    not_seen_since: Type.Optional(
      TimestampInput('Only agents that were not heard since this time: their `lastSeenAt` is before it.'),
    ),
    agent_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 3_699,
        description: 'Only these agents: up to 100 ids with commas between them.',
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({ description: 'True: only count the agents that match, and delete nothing.' }),
    ),
    max_agents: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'How many agents may be deleted: such as the answer of a dry run that a person has confirmed. If more match, none is deleted.',
      }),
    ),
  }),
  answer: { status: 200, schema: DeletedAgents, description: 'How many agents were deleted.' },
  problems: ['not_found', 'more_agents_match'],
});

export const listAgentConfigs = defineRoute({
  operationID: 'listAgentConfigs',
  method: 'GET',
  path: '/v1/agents/{agentID}/config_history',
  tag: 'Agents',
  summary: 'List the configurations that an agent ran',
  description:
    'Newest first; the first one is the current configuration. The latest 100 are kept. A page can have fewer than `last` if the configurations are large: follow the `Link` header.',
  credentials: ['access', 'project'],
  permission: 'read:agent',
  params,
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    schema: Type.Array(AgentConfig),
    description: 'A page of configurations.',
    paged: true,
  },
  problems: ['not_found', 'agent_deleted'],
});

export const getAgentConfigDiff = defineRoute({
  operationID: 'getAgentConfigDiff',
  method: 'GET',
  path: '/v1/agents/{agentID}/config_diff',
  tag: 'Agents',
  summary: 'Compare two configurations of an agent',
  description:
    'Of the configurations in its history, as they are stored: without their secrets. With one configuration alone, all of its lines are added.',
  credentials: ['access', 'project'],
  permission: 'read:agent',
  params,
  query: Type.Object({
    from: Type.Optional(IDParameter('The older configuration. Absent: the one before `to`.')),
    to: Type.Optional(IDParameter('The newer configuration. Absent: the one that the agent runs.')),
  }),
  answer: { status: 200, schema: AgentConfigDiff, description: 'The difference.' },
  problems: ['not_found', 'agent_deleted'],
});

export const addAgentMetrics = defineRoute({
  operationID: 'addAgentMetrics',
  method: 'POST',
  path: '/v1/agents/{agentID}/metrics',
  tag: 'Agents',
  summary: 'Send metrics of an agent',
  description:
    'One or more concatenated cmetrics contexts in MessagePack. A sign of life: an agent that sends them again and again is `offline` when they stop.',
  credentials: ['agent', 'project', 'access'],
  permission: 'update:agent',
  params,
  body: {
    schema: Type.Unsafe<Uint8Array>({ type: 'string', contentMediaType: 'application/x-msgpack' }),
    format: 'bytes',
    mediaType: 'application/x-msgpack',
    limitBytes: largeBodyLimitBytes,
  },
  answer: { status: 200, schema: CreatedMetrics, description: 'The number of samples that were accepted.' },
  problems: ['not_found', 'agent_deleted', 'undecodable_metrics'],
});

const heartbeat = {
  body: { ...jsonBody(SendHeartbeat), isLenient: true },
  answer: { status: 204, description: 'Noted.' },
} as const;

export const sendAgentHeartbeat = defineRoute({
  operationID: 'sendAgentHeartbeat',
  method: 'POST',
  path: '/v1/agents/{agentID}/heartbeat',
  tag: 'Agents',
  summary: 'Send a heartbeat of an agent',
  description:
    'Says that the agent runs, or that it ends. The body is optional, in any media type: what is not a JSON object, and fields that are not listed, are ignored. An agent that sent two heartbeats is `offline` when they stop.',
  credentials: ['agent', 'project', 'access'],
  takesBasic: true,
  permission: 'update:agent',
  params,
  ...heartbeat,
  problems: ['not_found', 'agent_deleted'],
});

export const sendMachineHeartbeat = defineRoute({
  operationID: 'sendMachineHeartbeat',
  method: 'POST',
  path: '/v1/machines/{machineID}/heartbeat',
  tag: 'Agents',
  summary: 'Send a heartbeat by machine id',
  description:
    "The same for the project's agent with this machine id. An unknown machine id is registered as a new agent, so one configuration file serves a whole fleet.",
  credentials: ['project'],
  takesBasic: true,
  permission: 'create:agent',
  params: Type.Object({
    machineID: Text(1, maxMachineIDLength, {
      description: 'Identifies the host, for example its host name.',
    }),
  }),
  query: Type.Object({
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'Name of the agent if this request registers it. Absent: the machine id.',
      }),
    ),
  }),
  ...heartbeat,
  problems: ['too_many_agents'],
});
