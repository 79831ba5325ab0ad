import { afterAll, beforeAll, expect, it } from 'vitest';
import { alertConfig } from '../../testing/calls/alert-calls.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let app: TestApp;
let project: TestProject;

beforeAll(async () => {
  app = await startTestApp({ config: alertConfig });
  project = await app.createProject();
});
afterAll(() => app.close());

async function call(method: string, path: string, body?: object): Promise<string> {
  const sent = { as: { access: app.admin }, ...(body === undefined ? {} : { body }) };
  const answer = await app.request<{ id: string } | undefined>(method, path, sent);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body?.id ?? '';
}

/** What listeners were told of these types. */
async function told(types: string): Promise<readonly unknown[]> {
  // It waits until changes are numbered.
  await call('GET', `/v1/projects/${project.id}/agent_error_groups`);
  const { text } = await app.request('GET', `/v1/projects/${project.id}/events?follow=false&types=${types}`, {
    as: { access: app.admin },
    headers: { 'last-event-id': '0' },
  });
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
}

const at = expect.any(String);

it('tells listeners of alert channels that are created, changed and deleted', async () => {
  const body = { name: 'on-call', kind: 'webhook', url: 'https://hooks.example.invalid/muster' };
  const alertChannelID = await call('POST', `/v1/projects/${project.id}/alert_channels`, body);
  const path = `/v1/alert_channels/${alertChannelID}`;
  await call('PATCH', path, { name: 'night' });
  await call('POST', `${path}/rotate`, {});
  await call('DELETE', path);
  expect(await told('alert_channel.*')).toEqual([
    { type: 'alert_channel.created', at, alertChannelID, name: 'on-call' },
    { type: 'alert_channel.updated', at, alertChannelID, name: 'night' },
    { type: 'alert_channel.updated', at, alertChannelID, name: 'night' },
    { type: 'alert_channel.deleted', at, alertChannelID, name: 'night' },
  ]);
});

it('tells listeners of alert rules that are created, changed and deleted', async () => {
  const alertRuleID = await call('POST', `/v1/projects/${project.id}/alert_rules`, { kind: 'new_group' });
  await call('PATCH', `/v1/alert_rules/${alertRuleID}`, { enabled: false });
  await call('DELETE', `/v1/alert_rules/${alertRuleID}`);
  const common = { at, alertRuleID, name: 'New errors' };
  expect(await told('alert_rule.*')).toEqual([
    { ...common, type: 'alert_rule.created' },
    { ...common, type: 'alert_rule.updated' },
    { ...common, type: 'alert_rule.deleted' },
  ]);
});

it('tells listeners that the project was renamed', async () => {
  await call('PATCH', `/v1/projects/${project.id}`, { name: 'east' });
  expect(await told('project.updated')).toEqual([{ type: 'project.updated', at, name: 'east' }]);
});
