import type { AgentConfig, Agent as AgentInList, AgentWithConfig, RegisteredAgent } from '@muster/contract';
import type { Answer, TestApp, TestProject } from './start-test-app.ts';

/** The routes of agents as most tests call them: agents by themselves, operators as administrator. */
export function callAgents(app: TestApp) {
  const operator = { access: app.admin };
  return {
    register: (project: TestProject, body: unknown): Promise<Answer<RegisteredAgent>> =>
      app.request('POST', '/v1/agents', { as: { project: project.token }, body }),

    /** As the agent itself, with its own token. */
    update: (agent: { readonly id: string; readonly token: string }, body: unknown): Promise<Answer> =>
      app.request('PATCH', `/v1/agents/${agent.id}`, { as: { agent: agent.token }, body }),

    delete: (agentID: string): Promise<Answer> =>
      app.request('DELETE', `/v1/agents/${agentID}`, { as: operator }),

    /** One agent as it is now. */
    async get(agentID: string): Promise<AgentWithConfig> {
      const { status, body, text } = await app.request<AgentWithConfig>('GET', `/v1/agents/${agentID}`, {
        as: operator,
      });
      if (status !== 200) throw new Error(`GET of an agent answered ${status}: ${text}`);
      return body;
    },

    list: (projectID: string, query = ''): Promise<Answer<AgentInList[]>> =>
      app.request('GET', `/v1/projects/${projectID}/agents${query}`, { as: operator }),

    listConfigs: (agentID: string, query = ''): Promise<Answer<AgentConfig[]>> =>
      app.request('GET', `/v1/agents/${agentID}/config_history${query}`, { as: operator }),

    /** Answers the status that an agent token gets on a route that every valid one may use. */
    async tryToken(token: string): Promise<number> {
      return (await app.request('GET', '/v1/me', { as: { agent: token } })).status;
    },
  };
}
