import type { Dismissal, DismissalPreview } from '@muster/contract';
import type { Answer, TestApp } from '../start-test-app.ts';

/** Calls of the routes of dismissals, as administrator. */
export function callDismissals(test: TestApp) {
  const operator = { access: test.admin };
  return {
    create: (projectID: string, filter: object, reason = 'seen'): Promise<Answer<Dismissal>> =>
      test.request('POST', `/v1/projects/${projectID}/dismissals`, {
        as: operator,
        body: { reason, filter },
      }),

    preview: (projectID: string, filter: object): Promise<Answer<DismissalPreview>> =>
      test.request('POST', `/v1/projects/${projectID}/dismissals`, {
        as: operator,
        body: { reason: 'seen', filter, dryRun: true },
      }),

    list: (projectID: string, query = ''): Promise<Answer<Dismissal[]>> =>
      test.request('GET', `/v1/projects/${projectID}/dismissals${query}`, { as: operator }),

    get: (id: string): Promise<Answer<Dismissal>> =>
      test.request('GET', `/v1/dismissals/${id}`, { as: operator }),

    undo: (id: string): Promise<Answer<Dismissal>> =>
      test.request('POST', `/v1/dismissals/${id}/undo`, { as: operator }),
  };
}
