import { randomInt } from 'node:crypto';
import type {
  AlertChannel,
  AlertDelivery,
  AlertRule,
  CreateAlertChannel,
  CreateAlertRule,
  CreatedAlertChannel,
} from '@muster/contract';
import type { Answer, TestApp, TestProject } from '../start-test-app.ts';

/** Settings with which the receivers of tests may be reached. */
export const alertConfig = { alertAllowedHosts: ['127.0.0.1'] } as const;

export async function createChannel(
  app: TestApp,
  project: TestProject,
  body: Partial<CreateAlertChannel>,
): Promise<CreatedAlertChannel> {
  const answer = await app.request<CreatedAlertChannel>('POST', `/v1/projects/${project.id}/alert_channels`, {
    as: { access: app.admin },
    body: { name: 'on-call', kind: 'webhook', ...body },
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

export async function getChannel(app: TestApp, id: string): Promise<AlertChannel> {
  const { body } = await app.request<AlertChannel>('GET', `/v1/alert_channels/${id}`, {
    as: { access: app.admin },
  });
  return body;
}

export async function testChannel(app: TestApp, id: string): Promise<Answer<AlertDelivery>> {
  return app.request<AlertDelivery>('POST', `/v1/alert_channels/${id}/test`, { as: { access: app.admin } });
}

/** Newest first. */
export async function listDeliveries(
  app: TestApp,
  project: TestProject,
  query = '',
): Promise<AlertDelivery[]> {
  const { body } = await app.request<AlertDelivery[]>(
    'GET',
    `/v1/projects/${project.id}/alert_deliveries${query}`,
    {
      as: { access: app.admin },
    },
  );
  return body;
}

/** No two rules of a project are alike. */
export function newRule(): CreateAlertRule {
  return { kind: 'widespread_group', agents: randomInt(1, 1_000_000) };
}

export async function createRule(
  app: TestApp,
  project: TestProject,
  body: CreateAlertRule,
): Promise<AlertRule> {
  const answer = await app.request<AlertRule>('POST', `/v1/projects/${project.id}/alert_rules`, {
    as: { access: app.admin },
    body,
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}
