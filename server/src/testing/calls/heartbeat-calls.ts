import type { Agent } from '@muster/contract';
import type { Answer, TestApp, TestProject } from '../start-test-app.ts';

type StatusOfAgent = Pick<Agent, 'status' | 'statusSince' | 'statusReason' | 'openErrorsCount'>;

/** Heartbeats as agents send them, and what an operator then sees. */
export function callHeartbeats(app: TestApp) {
  return {
    beat: (agent: { readonly id: string; readonly token: string }, body?: unknown): Promise<Answer> =>
      app.request('POST', `/v1/agents/${agent.id}/heartbeat`, { as: { agent: agent.token }, body }),

    beatOfMachine: (project: TestProject, machineID: string, body?: unknown): Promise<Answer> =>
      app.request('POST', `/v1/machines/${machineID}/heartbeat`, { as: { project: project.token }, body }),

    async statusOf(agentID: string): Promise<StatusOfAgent> {
      const { body } = await app.request<Agent>('GET', `/v1/agents/${agentID}`, {
        as: { access: app.admin },
      });
      const { status, statusSince, statusReason, openErrorsCount } = body;
      return { status, statusSince, statusReason, openErrorsCount };
    },

    /** Names of the agents in a status, newest first. */
    async namesOf(projectID: string, status: string): Promise<string[]> {
      const { body } = await app.request<Agent[]>(
        'GET',
        `/v1/projects/${projectID}/agents?status=${status}`,
        {
          as: { access: app.admin },
        },
      );
      return body.map(({ name }) => name);
    },
  };
}
