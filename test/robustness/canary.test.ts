import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStored } from '../../server/src/testing/rows/read-stored.ts';
import { pathsOfCredentials, useCredentialsOfPeople } from './canary-credentials.ts';
import {
  Canaries,
  type CanaryTokens,
  secretsInBodies,
  secretsInConfigurations,
  secretsInDescriptions,
  secretsInErrors,
  secretsInHeaders,
  secretsInUrls,
} from './canary-requests.ts';
import { type ListeningApp, startListeningApp } from './listening-app.ts';
import { exchange } from './raw-connection.ts';
import { requestText } from './request-text.ts';

/** At `trace` everything is logged; at `info` reports take the shortcut before the framework. */
describe.each(['trace', 'info'] as const)('secrets that are sent, at the log level %s,', (logLevel) => {
  const canaries = new Canaries();
  const refusals: string[] = [];
  let app: ListeningApp;
  let tokens: CanaryTokens;
  let rotatedID: string;

  beforeAll(async () => {
    app = await startListeningApp({ logLevel });
    canaries.keep(app.test.admin);
    canaries.keep(app.project.token);
    const as = { access: app.test.admin };
    const { token: operator } = await app.test.createToken(app.project.id, ['*']);
    const { body: access } = await app.test.request<{ token: string }>('POST', '/v1/access_tokens', {
      as,
      body: { name: 'canary' },
    });
    tokens = {
      access: canaries.keep(access.token),
      project: canaries.keep(operator),
      agent: canaries.keep(app.agent.token),
    };
    rotatedID = await rotate();
    await useCredentialsOfPeople(canaries, tokens, app);
    const requests = [
      ...secretsInHeaders(canaries),
      ...secretsInUrls(canaries, tokens, app),
      ...secretsInBodies(canaries, tokens, app),
      ...secretsInConfigurations(canaries, tokens, app),
      ...secretsInDescriptions(canaries, tokens, app),
      ...secretsInErrors(canaries, tokens, app),
      ...tokensThatWork(),
    ];
    const statuses = new Set<number>();
    for (const bytes of requests) {
      const answer = await exchange(app.port, bytes, { endsEarly: true });
      if (answer === undefined) throw new Error(`no answer to ${bytes.toString('latin1').slice(0, 300)}`);
      statuses.add(answer.status);
      if (answer.status >= 400) refusals.push(JSON.stringify(answer.headers), answer.text);
    }
    // They took every path: accepted, refused early and late, unreadable.
    expect([...statuses].sort()).toEqual([200, 201, 204, 400, 401, 403, 404, 422, 431]);
  });
  afterAll(() => app.test.close());

  /** A token with values from before rotations, which clients also send as their User-Agent. Returns its id. */
  async function rotate(): Promise<string> {
    const { id, token } = await app.test.createToken(app.project.id, ['update:own_token']);
    const values = [canaries.keep(token)];
    for (const body of [{ graceSeconds: 600 }, { retireOnUse: true, graceSeconds: 600 }]) {
      const rotation = {
        as: { access: app.test.admin },
        body,
        headers: { 'idempotency-key': canaries.make() },
      };
      for (let time = 0; time < 2; time += 1) {
        const answer = await app.test.request<{ token: string }>(
          'POST',
          `/v1/project_tokens/${id}/rotate`,
          rotation,
        );
        values.push(canaries.keep(answer.body.token));
      }
    }
    for (const value of values) {
      const { status } = await app.test.request('GET', '/v1/project_tokens/self', {
        as: { project: value },
        headers: { 'user-agent': `client ${value}` },
      });
      expect([200, 401]).toContain(status);
    }
    return id;
  }

  /** The same tokens in requests that succeed. */
  function tokensThatWork(): Buffer[] {
    const all = [
      `Authorization: Bearer ${app.test.admin}`,
      `Authorization: Bearer ${tokens.access}`,
      `Authorization: Bearer ${tokens.project}`,
      `X-Project-Token: ${tokens.project}`,
      `X-Agent-Token: ${tokens.agent}`,
    ];
    return [
      ...all.map((header) => requestText({ target: '/v1/me', headers: [header] })),
      ...all.slice(3).map((header) =>
        requestText({
          method: 'POST',
          target: app.reportPath,
          headers: [header, 'Content-Type: application/json'],
          body: '{"error":"with a token that works"}',
        }),
      ),
    ];
  }

  it('are in no line of the log', () => {
    const lines = app.test.logs.join('');
    expect(lines).toContain('"msg":"answered"');
    expect(found(lines)).toEqual([]);
  });

  it('are in no refusal', () => {
    expect(refusals.length).toBeGreaterThan(200);
    expect(found(refusals.join('\n'))).toEqual([]);
  });

  it('are not among the metrics', async () => {
    const { text } = await app.test.request('GET', '/metrics');
    expect(found(text)).toEqual([]);
  });

  it('are in no list and in no page', async () => {
    const as = { access: app.test.admin };
    const paths = ['tokens?status=all', 'agents', 'agent_errors'].map(
      (list) => `/v1/projects/${app.project.id}/${list}`,
    );
    paths.push(
      '/v1/access_tokens',
      `/v1/project_tokens/${rotatedID}`,
      `/v1/project_tokens/${rotatedID}/usage`,
      `/v1/agents/${app.agent.id}`,
      `/v1/agents/${app.agent.id}/config_history`,
      ...pathsOfCredentials(app),
    );
    const texts = await Promise.all(
      paths.map(async (path) => {
        const { status, text } = await app.test.request('GET', path, { as });
        expect(status).toBe(200);
        return text;
      }),
    );
    expect(texts.join('')).toContain('redacted');
    for (const action of ['session.leaked', 'sign_in_link.created', 'alert_channel.created', 'token.rotated'])
      expect(texts.join('')).toContain(`"${action}"`);
    expect(found(texts.join('\n'))).toEqual([]);
  });

  it('are nowhere in the stored data, including the log of the database', async () => {
    const stored = await readStored(app.test.dataDirectory);
    // Checks that stored data is searched at all; otherwise the test could pass for the wrong reason.
    expect(stored).toContain('with a token that works');
    expect(stored).toContain('full of secrets');
    expect(stored).toContain('redacted');
    expect(found(stored)).toEqual([]);
  });

  function found(text: string): string[] {
    return canaries.secrets.filter(
      (secret) => text.includes(secret) || text.includes(encodeURIComponent(secret)),
    );
  }
});
