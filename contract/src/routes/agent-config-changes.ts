import { Type } from 'typebox';
import { defineRoute } from '../route.ts';
import { AgentConfigChange } from '../schemas/agent-config-change.ts';
import { IDParameter, pageQuery } from '../schemas/common.ts';

export const listAgentConfigChanges = defineRoute({
  operationID: 'listAgentConfigChanges',
  method: 'GET',
  path: '/v1/agents/{agentID}/config_changes',
  tag: 'Agents',
  summary: 'List the causes that came and went with each configuration of an agent',
  description:
    'The configurations of `config_history` without their texts, newest first. Of an agent with more than 20,000 dismissed errors, the newest of these are counted. `config_diff` shows what changed in a configuration.',
  credentials: ['access', 'project'],
  permission: 'read:agent',
  furtherPermission: 'read:agent_error',
  params: Type.Object({ agentID: IDParameter('The agent.') }),
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    schema: Type.Array(AgentConfigChange),
    description: 'A page of configurations.',
    paged: true,
  },
  problems: ['not_found', 'agent_deleted'],
});
