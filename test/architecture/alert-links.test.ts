import { describe, expect, it } from 'vitest';
import { dashboardPage, type PageSubject } from '../../server/src/errors/alerts/messages/dashboard-page.ts';
import { filesBelow, readSource } from './source-files.ts';

const paths = filesBelow('web/src', ['.ts', '.tsx']).flatMap((file) =>
  [...readSource(file).matchAll(/^ {2}path: '([^']+)'/gm)].map(([, path = '']) => path),
);

describe('the links of alerts', () => {
  const of = { projectID: '$projectID' };
  it.each<PageSubject>([
    { kind: 'group', ...of, id: '$causeID' },
    { kind: 'token', ...of, id: '$tokenID' },
    { kind: 'rollout', ...of, fleetID: '$fleetID', id: '$rolloutID' },
    { kind: 'offline_agents', ...of },
    { kind: 'members', ...of },
  ])('lead to a page of the dashboard: $kind', (subject) => {
    const [page = ''] = dashboardPage(subject).split('?');
    expect(paths).toContain('/projects/$projectID');
    expect(paths).toContain(page.replace('/projects/$projectID', ''));
  });
});
