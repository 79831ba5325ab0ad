import { randomBytes } from 'node:crypto';
import { formatProjectToken, formatToken } from '@muster/contract';
import type { ListeningApp } from './listening-app.ts';
import { requestText } from './request-text.ts';

/** Creates recognizable secrets and remembers them. */
export class Canaries {
  readonly #all: string[] = [];

  /** A new secret that no service has seen. */
  make(): string {
    return this.keep(`canary${randomBytes(12).toString('hex')}`);
  }

  /** A well-formed token that was never issued. */
  token(kind: 'access' | 'agent' | 'project'): string {
    const nobody = {
      projectID: '019cae10-4f78-7000-8000-000000000000',
      tokenID: '019cae10-4f78-7000-8000-000000000001',
    };
    const random = randomBytes(32);
    return this.keep(kind === 'project' ? formatProjectToken(nobody, random) : formatToken(kind, random));
  }

  keep(secret: string): string {
    this.#all.push(secret);
    return secret;
  }

  /** Only the secret half of project tokens, because the other half contains ids. */
  get secrets(): readonly string[] {
    return this.#all.map((secret) => secret.slice(secret.lastIndexOf('.') + 1));
  }
}

/** Valid tokens, and the resources that they belong to. */
export interface CanaryTokens {
  readonly access: string;
  readonly project: string;
  readonly agent: string;
}

const json = 'Content-Type: application/json';

/** Requests with a secret in a header: in the right one, in a wrong one, in one that Node refuses. */
export function secretsInHeaders(canaries: Canaries): Buffer[] {
  const headers = [
    `Authorization: Bearer ${canaries.make()}`,
    `Authorization: Bearer ${canaries.token('access')}`,
    `Authorization: Bearer ${canaries.token('project')}`,
    `Authorization: Basic ${canaries.make()}`,
    `Authorization: ${canaries.make()}`,
    `Proxy-Authorization: Basic ${canaries.make()}`,
    `Cookie: session=${canaries.make()}`,
    `X-Project-Token: ${canaries.make()}`,
    `X-Project-Token: ${canaries.token('project')}`,
    `X-Project-Token: ${canaries.token('access')}`,
    `X-Agent-Token: ${canaries.make()}`,
    `X-Agent-Token: ${canaries.token('agent')}`,
    `X-Request-Id: ${canaries.token('access')} `.repeat(2),
    `X-Project-Token: ${canaries.make()}\r\nnonsense`,
    `Authorization: Bearer ${canaries.make()}\r\nCookie: ${'x'.repeat(20_000)}`,
    `Authorization: Bearer ${canaries.make()}\r\nContent-Length: 1\r\nContent-Length: 2`,
  ];
  return ['/v1/me', '/v1/projects', '/v1/nothing', '/metrics'].flatMap((target) =>
    headers.map((header) => requestText({ target, headers: [header] })),
  );
}

/** Requests with a secret in their URL, where it should never be. */
export function secretsInUrls(canaries: Canaries, tokens: CanaryTokens, app: ListeningApp): Buffer[] {
  const all = [
    ...Object.values(tokens),
    canaries.token('access'),
    canaries.token('project'),
    canaries.token('agent'),
  ];
  const queries = all.flatMap((token) => [
    `token=${token}`,
    `access_token=${token}`,
    `last=${token}`,
    `name=${token}`,
    `name=Bearer%20${token}`,
    `status=${token}x`,
    `${token}=1`,
    `before=${token}`,
  ]);
  queries.push(`token=${canaries.make()}`, `api_key=${canaries.make()}`, `access_token=${canaries.make()}`);
  const paths = all.flatMap((token) => [
    `/v1/project_tokens/${token}`,
    `/v1/agents/${token}`,
    `/v1/nothing/${token}`,
    `/${token}/%zz`,
    `/v1/agents/${token}${'x'.repeat(5_000)}`,
  ]);
  const headers = [`Authorization: Bearer ${tokens.access}`];
  return [
    ...queries.map((query) =>
      requestText({ target: `/v1/projects/${app.project.id}/tokens?${query}`, headers }),
    ),
    ...paths.map((target) => requestText({ target, headers })),
  ];
}

/** Requests with a secret in a body that is refused. */
export function secretsInBodies(canaries: Canaries, tokens: CanaryTokens, app: ListeningApp): Buffer[] {
  const all = [...Object.values(tokens), canaries.token('access'), canaries.token('project')];
  const headers = [`Authorization: Bearer ${tokens.access}`, json];
  const target = `/v1/projects/${app.project.id}/tokens`;
  const asToken = (body: string) => requestText({ method: 'POST', target, headers, body });
  const asReport = (body: string) =>
    requestText({
      method: 'POST',
      target: app.reportPath,
      headers: [`X-Project-Token: ${tokens.project}`, json],
      body,
    });
  return [
    ...all.flatMap((token) => [
      asToken(`{"name":"${token}`),
      asToken(`{"name":"a","token":"${token}"}`),
      asToken(JSON.stringify({ name: 'a', [token]: 1 })),
      asToken(JSON.stringify({ name: 'a', permissions: [token.slice(-55)] })),
      asToken(JSON.stringify({ name: 'a', expiresAt: token.slice(-55) })),
      asToken(JSON.stringify({ name: token.repeat(10) })),
      asToken(`position ${token}`),
      asReport(JSON.stringify({ error: [token] })),
      asReport(JSON.stringify({ error: `${token}\0` })),
      asReport(`${token}`),
    ]),
    asToken(`{"password":"${canaries.make()}"`),
    asReport(`{"error":"${canaries.make()}`),
    asReport(canaries.make()),
    requestText({
      method: 'POST',
      target: app.reportPath,
      headers: [`X-Project-Token: ${tokens.project}`, json],
      length: 'Content-Length: 500',
      body: `{"error":"${canaries.make()}`,
    }),
  ];
}

/** Requests of an agent with secrets in its configuration. */
export function secretsInConfigurations(
  canaries: Canaries,
  tokens: CanaryTokens,
  app: ListeningApp,
): Buffer[] {
  const rawConfig = [
    '[INPUT]',
    '    name  cpu',
    '[OUTPUT]',
    '    name        http',
    `    http_User   bob`,
    `    http_Passwd ${canaries.make()}`,
    `    header      Authorization Bearer ${canaries.make()}`,
    `    header      X-Api-Key ${canaries.make()}`,
    `    uri         https://bob:${canaries.make()}@example.com/logs`,
    `    shared_key  ${canaries.make()}`,
    `    cloud_auth  elastic:${canaries.make()}`,
    `    bearer_token ${canaries.make()}`,
    `    splunk_token ${canaries.make()}`,
    `# api_key ${canaries.make()}`,
    `    header      X-Honeycomb-Team ${canaries.make()}`,
    `    header      X-Any Basic ${canaries.make()}`,
    `    header      API KEY ${canaries.make()}`,
    `    community   ${canaries.make()}`,
    `    command     mysql -uroot -p${canaries.make()} -e x`,
    `    command     curl -u bob:${canaries.make()} http://127.0.0.1/`,
    `    uri         /services/T024BE7LH/B01ABCDEF/${canaries.make()}`,
    `    data        {"pass\\u0077ord":"${canaries.make()}"}`,
    `    add         id ghp_${canaries.make()}`,
  ].join('\n');
  const yaml = `pipeline:\n  outputs:\n    - name: es\n      http_passwd: "${canaries.make()}"\n      url: postgres://u:${canaries.make()}@db/x\n`;
  const asProject = [`X-Project-Token: ${tokens.project}`, json];
  const asAgent = [`X-Agent-Token: ${tokens.agent}`, json];
  return [
    requestText({
      method: 'POST',
      target: '/v1/agents',
      headers: asProject,
      body: JSON.stringify({ name: 'full of secrets', machineID: 'canary-1', rawConfig }),
    }),
    requestText({
      method: 'PATCH',
      target: `/v1/agents/${app.agent.id}`,
      headers: asAgent,
      body: JSON.stringify({ rawConfig: yaml }),
    }),
    requestText({
      method: 'PATCH',
      target: `/v1/agents/${app.agent.id}`,
      headers: asAgent,
      body: JSON.stringify({ rawConfig, name: '' }),
    }),
  ];
}

/** Requests of an agent with secrets in its own description. */
export function secretsInDescriptions(canaries: Canaries, tokens: CanaryTokens, app: ListeningApp): Buffer[] {
  const describe = () => ({
    flags: [`--api-token=${canaries.make()}`, '--password', canaries.make(), '-u', `bob:${canaries.make()}`],
    metadata: {
      api_key: canaries.make(),
      credentials: { user: canaries.make(), list: [canaries.make()] },
      env: [{ name: 'API_TOKEN', value: canaries.make() }],
      url: `https://bob:${canaries.make()}@example.com/`,
      note: `uses ghp_${canaries.make()}`,
    },
  });
  return [
    requestText({
      method: 'POST',
      target: '/v1/agents',
      headers: [`X-Project-Token: ${tokens.project}`, json],
      body: JSON.stringify({ name: 'full of secrets', machineID: 'canary-2', ...describe() }),
    }),
    requestText({
      method: 'PATCH',
      target: `/v1/agents/${app.agent.id}`,
      headers: [`X-Agent-Token: ${tokens.agent}`, json],
      body: JSON.stringify(describe()),
    }),
  ];
}

/** Error reports with secrets of known form in their text: by every route, single and in arrays, whole and cut. */
export function secretsInErrors(canaries: Canaries, tokens: CanaryTokens, app: ListeningApp): Buffer[] {
  const texts = [
    () => `full of secrets: https://bob:${canaries.make()}@example.com/`,
    () => `sent Authorization: Basic ${canaries.make()}`,
    () => `sent X-Any: Bearer ${canaries.make()}`,
    () => `no such webhook: https://hooks.slack.com/services/T024BE7LH/B01ABCDEF/${canaries.make()}`,
    () => `token ghp_${canaries.make()} refused`,
    () => `token ${canaries.token('access')} refused`,
    () => `token ${canaries.token('project')} refused`,
    () => `token ${canaries.token('agent')} refused`,
    () => `-----BEGIN PRIVATE KEY-----\n${canaries.make()}\n-----END PRIVATE KEY-----`,
    () => `{"error":"glpat-${canaries.make()}"}`,
  ];
  const long = 'x '.repeat(500);
  const bodies = [
    ...texts.map((text) => JSON.stringify({ error: text() })),
    JSON.stringify(texts.map((text) => ({ error: text() }))),
  ];
  const targets = [app.reportPath, '/v1/machines/canary-1/errors', '/v1/machines/canary-3/errors'];
  const headers = [`X-Project-Token: ${tokens.project}`, json];
  return [
    ...targets.flatMap((target) =>
      bodies.map((body) => requestText({ method: 'POST', target, headers, body })),
    ),
    ...texts.map((text) =>
      requestText({
        method: 'POST',
        target: `${app.reportPath}?truncate=true`,
        headers,
        body: JSON.stringify({ error: `${long}${text()}` }),
      }),
    ),
  ];
}
