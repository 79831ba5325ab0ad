import type {
  AgentConfig,
  AgentConfigChange,
  AgentConfigDiff,
  Agent as AgentInList,
  AgentWithConfig,
  DeletedAgents,
  RegisteredAgent,
} from '@muster/contract';
import { eventually } from '../eventually.ts';
import type { Answer, TestApp, TestProject } from '../start-test-app.ts';

/** Calls of the agent routes as most tests make them: agents with their own tokens, operators as administrator. */
export function callAgents(app: TestApp) {
  const operator = { access: app.admin };
  const tryToken = async (token: string): Promise<number> =>
    (await app.request('GET', '/v1/me', { as: { agent: token } })).status;
  return {
    register: (project: TestProject, body: unknown): Promise<Answer<RegisteredAgent>> =>
      app.request('POST', '/v1/agents', { as: { project: project.token }, body }),

    /** Calls as the agent itself, with its own token. */
    update: (agent: { readonly id: string; readonly token: string }, body: unknown): Promise<Answer> =>
      app.request('PATCH', `/v1/agents/${agent.id}`, { as: { agent: agent.token }, body }),

    delete: (agentID: string): Promise<Answer> =>
      app.request('DELETE', `/v1/agents/${agentID}`, { as: operator }),

    deleteMany: (projectID: string, query: string): Promise<Answer<DeletedAgents>> =>
      app.request('DELETE', `/v1/projects/${projectID}/agents${query}`, { as: operator }),

    /** The current state of one agent. */
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

    diffConfigs: (agentID: string, query = ''): Promise<Answer<AgentConfigDiff>> =>
      app.request('GET', `/v1/agents/${agentID}/config_diff${query}`, { as: operator }),

    listConfigChanges: (agentID: string, query = ''): Promise<Answer<AgentConfigChange[]>> =>
      app.request('GET', `/v1/agents/${agentID}/config_changes${query}`, { as: operator }),

    /** The status that an agent token gets on a route that every valid one may use. */
    tryToken,

    /** Resolves when an agent token is no longer valid, which happens after a newer one was used and answered. */
    untilEnded: (token: string): Promise<void> =>
      eventually(async () => {
        const status = await tryToken(token);
        if (status !== 401) {
          throw new Error(`an agent token still gets ${status}, although a later one was used`);
        }
      }),
  };
}
