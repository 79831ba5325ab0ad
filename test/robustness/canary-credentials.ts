import { randomBytes } from 'node:crypto';
import { formatProjectToken, type SignInLink } from '@muster/contract';
import { expect } from 'vitest';
import { eventually } from '../../server/src/testing/eventually.ts';
import { TestBrowser } from '../../server/src/testing/receivers/test-browser.ts';
import type { Canaries, CanaryTokens } from './canary-requests.ts';
import type { ListeningApp } from './listening-app.ts';

/**
 * Uses the credentials that people have, and those that the service keeps for them: sessions, sign-in links, secrets of alert channels, values from a
 * provisioning file, reports of leaks.
 */
export async function useCredentialsOfPeople(
  canaries: Canaries,
  tokens: CanaryTokens,
  app: ListeningApp,
): Promise<void> {
  const call = <Body>(method: string, url: string, body?: object) =>
    app.test.request<Body>(method, url, {
      as: { access: app.test.admin },
      ...(body === undefined ? {} : { body }),
    });
  const sessions = await signIn();
  const link = await createLink();
  await acceptInvitation();
  await createChannels();
  const provisioned = await provision();
  await reportLeaks([...sessions.slice(1), link, provisioned, canaries.token('access'), canaries.make()]);

  /** Two sessions: with the access token, and with a link. */
  async function signIn(): Promise<string[]> {
    const browsers = [new TestBrowser(app.test), new TestBrowser(app.test)];
    const [first, second] = browsers;
    await first?.signIn(tokens.access);
    await second?.open(`/sign_in/link/${await createLink()}`);
    await second?.open('/sign_in/link');
    await second?.submit('/sign_in/link');
    for (const browser of browsers) {
      canaries.keep(browser.session ?? '');
      expect((await browser.call('GET', '/v1/sessions')).status).toBe(200);
      const body = { name: `made in a session ${canaries.make().slice(0, 6)}`, permissions: [] };
      const made = await browser.call<{ token: string }>('POST', `/v1/projects/${app.project.id}/tokens`, {
        body,
      });
      canaries.keep(made.body.token);
    }
    return browsers.map(({ session }) => session ?? '');
  }

  async function createLink(): Promise<string> {
    const { body } = await call<SignInLink>('POST', '/v1/sign_in_links');
    return canaries.keep(new URL(body.url).pathname.replace('/sign_in/link/', ''));
  }

  /** On the page, which shows the first access token of the new user. */
  async function acceptInvitation(): Promise<void> {
    const path = `/v1/projects/${app.project.id}/invitations`;
    const { body } = await call<{ code: string }>('POST', path, { role: 'viewer' });
    const browser = new TestBrowser(app.test);
    const form = { code: canaries.keep(body.code), name: 'Ada' };
    const { status, text } = await browser.submit('/invitation', { form });
    expect(status).toBe(200);
    canaries.keep(/mst_u_\w{49}/.exec(text)?.[0] ?? '');
    canaries.keep(browser.session ?? '');
  }

  async function createChannels(): Promise<void> {
    const path = `/v1/projects/${app.project.id}/alert_channels`;
    const webhook = await call<{ id: string; secret: string }>('POST', path, {
      ...{ name: 'webhook', kind: 'webhook', url: `https://hooks.example/services/${canaries.make()}` },
    });
    expect(webhook.status).toBe(201);
    canaries.keep(webhook.body.secret);
    const pager = { name: 'pager', kind: 'pagerduty', key: randomBytes(16).toString('hex') };
    canaries.keep(pager.key);
    expect((await call('POST', path, pager)).status).toBe(201);
    const { body } = await call<{ secret: string }>(
      'POST',
      `/v1/alert_channels/${webhook.body.id}/rotate`,
      {},
    );
    canaries.keep(body.secret);
    const changed = { url: `https://hooks.example/services/${canaries.make()}` };
    expect((await call('PATCH', `/v1/alert_channels/${webhook.body.id}`, changed)).status).toBe(200);
  }

  /** Returns the value of a token from a provisioning file. */
  async function provision(): Promise<string> {
    const ids = {
      projectID: '019cae10-4f78-7000-8000-0000000000aa',
      tokenID: '019cae10-4f78-7000-8000-0000000000ab',
    };
    const values = [1, 2].map(() => canaries.keep(formatProjectToken(ids, randomBytes(32))));
    for (const value of values) {
      const body = { projects: [{ name: 'provisioned', tokens: [{ name: 'agents', value }] }] };
      expect((await call('POST', '/v1/provisioning', body)).status).toBe(200);
      expect((await call('POST', '/v1/provisioning', { ...body, dryRun: true })).status).toBe(200);
      expect((await app.test.request('GET', '/v1/me', { as: { project: value } })).status).toBe(200);
    }
    return values[1] ?? '';
  }

  /** With secrets in the places where they were found too. */
  async function reportLeaks(values: readonly string[]): Promise<void> {
    const { status, text } = await app.test.request('POST', '/v1/token_leaks', {
      body: values.map((token) => ({
        token,
        url: `https://bob:${canaries.make()}@git.example/a.yaml?access_token=${canaries.make()}`,
        source: `token ghp_${canaries.make()}`,
      })),
    });
    expect([status, text]).toEqual([200, `{"received":${values.length}}`]);
    await eventually(() =>
      expect(app.test.logs.filter((line) => line.includes('reported as found in public'))).toHaveLength(3),
    );
  }
}

/** Lists, pages and exports that tell of these credentials. */
export function pathsOfCredentials({ project }: ListeningApp): string[] {
  return [
    '/v1/audit_log',
    '/v1/audit_log?last=100',
    '/v1/audit_log/export',
    `/v1/projects/${project.id}/audit_log?last=100`,
    `/v1/projects/${project.id}/audit_log/export`,
    '/v1/sessions',
    `/v1/projects/${project.id}/alert_channels`,
    `/v1/projects/${project.id}/alert_deliveries`,
    `/v1/projects/${project.id}/events?follow=false`,
    '/v1/projects/019cae10-4f78-7000-8000-0000000000aa/tokens?status=all',
    '/v1/projects/019cae10-4f78-7000-8000-0000000000aa/audit_log/export',
  ];
}
