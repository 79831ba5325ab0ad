import { randomBytes } from 'node:crypto';
import { formatProjectToken, formatToken } from '@muster/contract';
import type { ListeningApp } from './listening-app.ts';
import { requestText } from './request-text.ts';

/** Makes secrets that can be told from everything else, and remembers them. */
export class Canaries {
  readonly #all: string[] = [];

  /** Something that no service has seen. */
  make(): string {
    return this.keep(`canary${randomBytes(12).toString('hex')}`);
  }

  /** A token that looks right and belongs to nobody. */
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

  /** Of project tokens the secret half alone: the other half holds ids. */
  get secrets(): readonly string[] {
    return this.#all.map((secret) => secret.slice(secret.lastIndexOf('.') + 1));
  }
}

/** Tokens of the service that work, and to which the requests belong. */
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

/** Requests of an agent whose configuration is full of secrets. */
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
