import type { AgentError, AgentErrorResult, CreateAgentError } from '@muster/contract';
import type { Answer, TestApp, TestProject } from '../start-test-app.ts';

/** Calls of the agent error routes as most tests make them: agents with their project's token, operators as administrator. */
export function callAgentErrors(test: TestApp) {
  const operator = { access: test.admin };
  const list = async (url: string): Promise<Answer<AgentError[]>> =>
    test.request('GET', url, { as: operator });
  return {
    report: (
      project: TestProject,
      agentID: string,
      error: string,
      query = '',
    ): Promise<Answer<AgentErrorResult>> =>
      test.request('POST', `/v1/agents/${agentID}/errors${query}`, {
        as: { project: project.token },
        body: { error },
      }),

    reportAll: (
      project: TestProject,
      agentID: string,
      reports: readonly CreateAgentError[],
      query = '',
    ): Promise<Answer<AgentErrorResult[]>> =>
      test.request('POST', `/v1/agents/${agentID}/errors${query}`, {
        as: { project: project.token },
        body: reports,
      }),

    dismiss: (id: string, reason = 'seen'): Promise<Answer<{ dismissedAt: string }>> =>
      test.request('POST', `/v1/agent_errors/${id}/dismiss`, { as: operator, body: { reason } }),

    reopen: (id: string): Promise<Answer<AgentError>> =>
      test.request('POST', `/v1/agent_errors/${id}/reopen`, { as: operator }),

    configure: (agentID: string, rawConfig: string): Promise<Answer> =>
      test.request('PATCH', `/v1/agents/${agentID}`, { as: operator, body: { rawConfig } }),

    deleteAgent: (agentID: string): Promise<Answer> =>
      test.request('DELETE', `/v1/agents/${agentID}`, { as: operator }),

    listOfAgent: (agentID: string, query = '') => list(`/v1/agents/${agentID}/errors${query}`),

    listOfProject: (projectID: string, query = '') => list(`/v1/projects/${projectID}/agent_errors${query}`),

    /** Every page of a list, following its Link headers. */
    async walk(url: string): Promise<AgentError[][]> {
      const pages: AgentError[][] = [];
      for (let next: string | undefined = url; next !== undefined; ) {
        const page: Answer<AgentError[]> = await list(next);
        pages.push(page.body);
        next = nextPage(page);
      }
      return pages;
    },
  };
}

/** The target of an answer's Link header; undefined on the last page. */
export function nextPage({ headers }: Pick<Answer, 'headers'>): string | undefined {
  return headers.link === undefined ? undefined : /^<(.+)>; rel="next"$/.exec(headers.link)?.[1];
}
