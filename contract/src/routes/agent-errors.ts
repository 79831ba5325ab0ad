import { Type } from 'typebox';
import { defineRoute, jsonBody, largeBodyLimitBytes } from '../route.ts';
import { maxMachineIDLength } from '../schemas/agent.ts';
import {
  AgentError,
  AgentErrorResult,
  CreateAgentError,
  DismissAgentError,
  DismissedAgentError,
  maxErrorsPerRequest,
  ndjsonMediaType,
  plainTextMediaType,
} from '../schemas/agent-error.ts';
import { IDParameter, pageQuery, Text, TimestampInput } from '../schemas/common.ts';
import { Problem } from '../schemas/problem.ts';
import { current, dismissed } from './agent-error-filters.ts';

const agentParams = Type.Object({ agentID: IDParameter('The agent.') });
const errorParams = Type.Object({ agentErrorID: IDParameter('The agent error.') });

const reportQuery = {
  truncate: Type.Optional(
    Type.Boolean({
      description: 'true: a text longer than 1024 code points is cut to 1023 and `…` instead of refused.',
    }),
  ),
  partial: Type.Optional(
    Type.Boolean({
      description:
        'true: an invalid element of an array, or an invalid line, is refused alone, and the others are stored. In the answer, a problem takes the place of its result.',
    }),
  ),
  text_field: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        'The field that has the text instead of `error`: the name of a field, or a JSON Pointer (RFC 6901) such as `/annotations/summary`.',
    }),
  ),
};

const report = {
  body: {
    ...jsonBody(
      Type.Union([
        CreateAgentError,
        Type.Array(CreateAgentError, { minItems: 1, maxItems: maxErrorsPerRequest }),
      ]),
      largeBodyLimitBytes,
    ),
    otherForms: {
      [ndjsonMediaType]: Type.String({
        description: 'A report in each line, up to 1000. Answered like an array.',
        examples: ['{"error":"disk full"}\n{"error":"connection refused"}\n'],
      }),
      [plainTextMediaType]: Type.String({
        description: 'The whole body is the text of one report, without the line breaks at its end.',
        examples: ['disk full'],
      }),
    },
  },
  answer: {
    status: 201,
    schema: Type.Union([AgentErrorResult, Type.Array(Type.Union([AgentErrorResult, Problem]))]),
    description:
      'Stored durably. An array is answered with an array of results in the same order. For an ignored report the result is the open error that it repeats.',
    headers: {
      'Muster-Refused': 'With `partial=true`, how many elements were refused. Absent: none.',
      'Preference-Applied':
        '`return=minimal` if the request had `Prefer: return=minimal` (RFC 7240): the answer then has no body.',
      'Muster-Agent-Error':
        '`created` if a new error was stored, `ignored` if every report repeated an open error.',
    },
  },
  // A repeated report is ignored by the ignore rule.
  repeatable: true,
} as const;

const reportProblems = [
  'agent_deleted',
  'too_many_reports_of_token',
  'too_many_open_errors',
  'too_many_new_errors_of_agent',
  'too_many_errors_of_cause',
  'too_many_new_errors_of_project',
  'too_many_stored_bytes',
] as const;

export const createAgentError = defineRoute({
  operationID: 'createAgentError',
  method: 'POST',
  path: '/v1/agents/{agentID}/errors',
  tag: 'Agent errors',
  summary: 'Report an error of an agent',
  description:
    'One error, or an array of up to 1000. A report whose text equals that of an open error of the same agent and configuration is ignored and counted. One invalid element refuses the whole request, unless `partial=true`. Other fields are ignored. The body may be compressed (`Content-Encoding: gzip`); the limits apply to what is in it.',
  credentials: ['project', 'agent'],
  takesBasic: true,
  permission: 'create:agent_error',
  params: agentParams,
  query: Type.Object(reportQuery),
  ...report,
  problems: ['not_found', ...reportProblems],
});

export const createMachineError = defineRoute({
  operationID: 'createMachineError',
  method: 'POST',
  path: '/v1/machines/{machineID}/errors',
  tag: 'Agent errors',
  summary: 'Report an error by machine id',
  description:
    "Reports errors for the project's agent with this machine id. An unknown machine id is registered as a new agent, so one configuration file serves a whole fleet. One error, or an array of up to 1000, in the same forms.",
  credentials: ['project'],
  takesBasic: true,
  permission: 'create:agent_error',
  furtherPermission: 'create:agent',
  params: Type.Object({
    machineID: Text(1, maxMachineIDLength, {
      description: 'Identifies the host, for example its host name.',
    }),
  }),
  query: Type.Object({
    ...reportQuery,
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'Name of the agent if this request registers it. Absent: the machine id.',
      }),
    ),
  }),
  ...report,
  problems: [...reportProblems, 'too_many_agents'],
});

export const listAgentErrors = defineRoute({
  operationID: 'listAgentErrors',
  method: 'GET',
  path: '/v1/agents/{agentID}/errors',
  tag: 'Agent errors',
  summary: 'List errors of an agent',
  description: 'Newest first.',
  credentials: ['access', 'project'],
  permission: 'read:agent_error',
  params: agentParams,
  query: Type.Object({ ...pageQuery, dismissed, current }),
  answer: {
    status: 200,
    schema: Type.Array(AgentError),
    description: 'A page of agent errors.',
    paged: true,
  },
  problems: ['not_found', 'agent_deleted'],
});

export const listProjectErrors = defineRoute({
  operationID: 'listProjectErrors',
  method: 'GET',
  path: '/v1/projects/{projectID}/agent_errors',
  tag: 'Agent errors',
  summary: "List errors of a project's agents",
  description: 'Newest first.',
  credentials: ['access', 'project'],
  permission: 'read:agent_error',
  params: Type.Object({ projectID: IDParameter('The project.') }),
  query: Type.Object({
    ...pageQuery,
    dismissed,
    current,
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'Only errors whose text contains this text; the case of ASCII letters is ignored.',
      }),
    ),
    agent_id: Type.Optional(IDParameter('Only errors of this agent.')),
    group_id: Type.Optional(IDParameter('Only errors of this group.')),
    fleet_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'Only errors of agents of this fleet.' }),
    ),
    since: Type.Optional(TimestampInput('Only errors created at this time or later.')),
    until: Type.Optional(TimestampInput('Only errors created before this time.')),
  }),
  answer: {
    status: 200,
    schema: Type.Array(AgentError),
    description: 'A page of agent errors.',
    paged: true,
  },
  problems: ['not_found'],
});

export const dismissAgentError = defineRoute({
  operationID: 'dismissAgentError',
  method: 'POST',
  path: '/v1/agent_errors/{agentErrorID}/dismiss',
  tag: 'Agent errors',
  summary: 'Dismiss an agent error',
  description: 'The next report with the same text is stored as a new error.',
  credentials: ['access', 'project'],
  permission: 'update:agent_error',
  params: errorParams,
  body: jsonBody(DismissAgentError),
  answer: { status: 200, schema: DismissedAgentError, description: 'When it was dismissed.' },
  problems: ['not_found', 'agent_error_already_dismissed'],
});

export const reopenAgentError = defineRoute({
  operationID: 'reopenAgentError',
  method: 'POST',
  path: '/v1/agent_errors/{agentErrorID}/reopen',
  tag: 'Agent errors',
  summary: 'Reopen a dismissed agent error',
  credentials: ['access', 'project'],
  permission: 'update:agent_error',
  params: errorParams,
  answer: { status: 200, schema: AgentError, description: 'The error, open again.' },
  problems: ['not_found', 'agent_error_not_dismissed', 'equal_agent_error_open'],
});
