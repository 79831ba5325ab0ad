import type {
  AgentErrorGroup,
  AgentErrorGroupAgent,
  AgentErrorGroupHistory,
  AgentErrorGroupOrigin,
  AgentErrorGroupTrends,
  MuteAgentErrorGroup,
  UpdateAgentErrorGroups,
} from '@muster/contract';
import type { Answer, TestApp } from '../start-test-app.ts';
import { nextPage } from './agent-error-calls.ts';

/** Calls of the routes of error groups as an administrator. */
export function callErrorGroups(test: TestApp) {
  const as = { access: test.admin };
  const ofGroup = <Body>(id: string, below: string): Promise<Answer<Body>> =>
    test.request('GET', `/v1/agent_error_groups/${id}${below}`, { as });
  return {
    list: (projectID: string, query = ''): Promise<Answer<AgentErrorGroup[]>> =>
      test.request('GET', `/v1/projects/${projectID}/agent_error_groups${query}`, { as }),

    /** All pages of a list, following its Link headers. */
    async walk(projectID: string, query: string): Promise<AgentErrorGroup[][]> {
      const pages: AgentErrorGroup[][] = [];
      let next: string | undefined = `/v1/projects/${projectID}/agent_error_groups${query}`;
      while (next !== undefined) {
        const page: Answer<AgentErrorGroup[]> = await test.request('GET', next, { as });
        pages.push(page.body);
        next = nextPage(page);
      }
      return pages;
    },

    get: (id: string) => ofGroup<AgentErrorGroup>(id, ''),
    listAgents: (id: string, query = '') => ofGroup<AgentErrorGroupAgent[]>(id, `/agents${query}`),
    listErrors: (id: string, query = '') => ofGroup<{ error: string }[]>(id, `/errors${query}`),
    origin: (id: string) => ofGroup<AgentErrorGroupOrigin>(id, '/origin'),
    trends: (projectID: string): Promise<Answer<AgentErrorGroupTrends>> =>
      test.request('GET', `/v1/projects/${projectID}/agent_error_group_trends`, { as }),
    history: (id: string, query = '') => ofGroup<AgentErrorGroupHistory>(id, `/history${query}`),

    update: (projectID: string, body: UpdateAgentErrorGroups, by = as): Promise<Answer<AgentErrorGroup[]>> =>
      test.request('PATCH', `/v1/projects/${projectID}/agent_error_groups`, { as: by, body }),

    mute: (id: string, body: MuteAgentErrorGroup): Promise<Answer<AgentErrorGroup>> =>
      test.request('POST', `/v1/agent_error_groups/${id}/mute`, { as, body }),

    unmute: (id: string, query = ''): Promise<Answer<AgentErrorGroup>> =>
      test.request('POST', `/v1/agent_error_groups/${id}/unmute${query}`, { as }),
  };
}
