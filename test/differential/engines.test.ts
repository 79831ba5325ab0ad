import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  type RequestOptions,
  startTestApp,
  type TestApp,
} from '../../server/src/testing/start-test-app.ts';
import { rounds } from '../rounds.ts';

/**
 * One app on each engine, with the same clock and the same random bytes: the same requests in the same order
 * must get the same answers, byte for byte, ids, tokens and cursors included.
 */
describe('SQLite and PostgreSQL', () => {
  it('give the same answers to random sequences of requests', async () => {
    let apps: readonly [TestApp, TestApp] | undefined;
    const closeApps = async (): Promise<void> => {
      for (const app of apps ?? []) await app.close();
      apps = undefined;
    };
    await fc
      .assert(
        fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
          // Each sequence has its own project. After a difference the two apps have drawn different random bytes.
          apps ??= [await startOn('sqlite'), await startOn('postgres')];
          try {
            const [first, second] = [new Walk(apps[0]), new Walk(apps[1])];
            for (const one of steps) {
              const [answer, other] = [await first.take(one), await second.take(one)];
              expect({ step: one, ...seen(answer) }).toEqual({ step: one, ...seen(other) });
            }
          } catch (difference) {
            await closeApps();
            throw difference;
          }
        }),
        { numRuns: rounds(25) },
      )
      .finally(closeApps);
  });
});

/** Things that databases treat differently: case, collation, wildcards, quotes, width, order, normal forms. */
const oddTexts = [
  'a',
  'A',
  'ä',
  'Ä',
  'a\u0308',
  'ß',
  'SS',
  'ı',
  'I',
  'i',
  'z',
  '%',
  '_',
  'a%',
  'a_b',
  'a*b',
  'a?b',
  'a[b]',
  '[a-z]',
  '\\',
  'a\\b',
  "'",
  '"',
  'a\'b"c',
  ' a',
  'a ',
  ' ',
  '\t',
  'a\nb',
  '\r\n',
  '💥',
  '💥'.repeat(1024),
  'x'.repeat(1024),
  'x'.repeat(1025),
  '\uffff',
  '\u200d',
  '\0',
  '\ud800',
  'null',
  '{"a":1}',
  '[out:es] HTTP status=404',
];
const text = fc.constantFrom(...oddTexts);
const index = fc.nat(5);
const page = fc.record(
  { last: fc.constantFrom(0, 1, 2, 3, 100, 1001, 'x'), before: fc.constantFrom('', 'cursor', 'next') },
  { requiredKeys: [] },
);
const pattern = fc.oneof(
  text,
  text.map((one) => `${one}*`),
  text.map((one) => `*${one}*`),
  fc.constant('*'),
);
const dismissed = fc.constantFrom(undefined, 'true', 'false', 'yes');
const time = fc.constantFrom(
  undefined,
  '2026-03-02T10:20:30.456Z',
  '2026-03-02T11:20:30.457+01:00',
  '2026-03-02T10:20:31Z',
  'yesterday',
);

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      agent: index,
      texts: fc.array(text, { minLength: 1, maxLength: 4 }),
      cut: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('report by machine' as const), machine: text, error: text }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('register' as const),
      machine: text,
      name: text,
      tags: fc.option(fc.array(text, { maxLength: 3 })),
      config: fc.option(text),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('update agent' as const),
      agent: index,
      name: fc.option(text),
      config: fc.option(text),
      fleet: fc.option(text),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('heartbeat' as const),
      agent: index,
      status: fc.constantFrom('running', 'stopped'),
      exitCode: fc.constantFrom(null, 0, 1),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('dismiss' as const), error: index, reason: text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reopen' as const), error: index }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete agent' as const), agent: index }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('create token' as const),
      name: text,
      permissions: fc.option(
        fc.array(fc.constantFrom('read:*', 'create:agent', '*', 'creat:*'), { maxLength: 3 }),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke token' as const), token: index }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('list agents' as const),
      name: fc.option(pattern),
      tag: fc.option(text),
      fleet: fc.option(text),
      status: fc.constantFrom(undefined, 'healthy', 'unhealthy', 'offline', 'stopped'),
      page,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('list tokens' as const),
      name: fc.option(pattern),
      status: fc.constantFrom(undefined, 'all', 'revoked', 'active'),
      page,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('list errors' as const), agent: index, dismissed, page }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('list inbox' as const),
      q: fc.option(text),
      agent: fc.option(index),
      dismissed,
      since: time,
      until: time,
      page,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('get agent' as const), agent: index }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('list configurations' as const), agent: index, page }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      milliseconds: fc.constantFrom(1, 1_000, 86_400_000),
    }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function startOn(engine: 'sqlite' | 'postgres'): Promise<TestApp> {
  let drawn = 0;
  const randomBytes = (size: number): Buffer => {
    const parts: Buffer[] = [];
    for (let length = 0; length < size; length += 32) {
      drawn += 1;
      parts.push(hash('sha256', `draw ${drawn}`, 'buffer'));
    }
    return Buffer.concat(parts).subarray(0, size);
  };
  return startTestApp({
    randomBytes,
    ...(engine === 'sqlite' ? { config: { databaseUrl: undefined } } : {}),
  });
}

/** Sends steps to one app and collects the ids in its answers, in order. */
class Walk {
  readonly #app: TestApp;
  #project: { id: string; token: string } | undefined;
  readonly #agents: string[] = [];
  readonly #errors: string[] = [];
  readonly #tokens: string[] = [];
  #next: string | undefined;

  constructor(app: TestApp) {
    this.#app = app;
  }

  async take(one: Step): Promise<Answer> {
    this.#project ??= await this.#app.createProject();
    const answer = await this.#send(one, this.#project);
    this.#next = /before=([\w-]+)/.exec(answer.headers.link ?? '')?.[1] ?? this.#next;
    return answer;
  }

  #send(one: Step, { id: projectID, token }: { id: string; token: string }): Promise<Answer> {
    const { request } = this.#app;
    const operator = { access: this.#app.admin };
    const asProject = { project: token };
    const get = (path: string, query: Readonly<Record<string, unknown>> = {}) =>
      request('GET', `${path}${this.#query(query)}`, { as: operator });
    switch (one.do) {
      case 'report': {
        const path = `/v1/agents/${this.#agents[one.agent] ?? projectID}/errors${one.cut ? '?truncate=true' : ''}`;
        const body = one.texts.map((error) => ({ error }));
        return this.#noting(this.#errors, 'POST', path, { as: asProject, body });
      }
      case 'report by machine': {
        const path = `/v1/machines/${encodeURIComponent(one.machine.toWellFormed())}/errors`;
        return this.#noting(this.#errors, 'POST', path, { as: asProject, body: { error: one.error } });
      }
      case 'register': {
        const body = { name: one.name, machineID: one.machine, tags: one.tags, rawConfig: one.config };
        return this.#noting(this.#agents, 'POST', '/v1/agents', { as: asProject, body });
      }
      case 'update agent': {
        const body = { name: one.name, rawConfig: one.config, fleetID: one.fleet };
        return request('PATCH', `/v1/agents/${this.#agents[one.agent] ?? projectID}`, { as: operator, body });
      }
      case 'heartbeat': {
        const body = { heartbeatSeconds: 60, status: one.status, exitCode: one.exitCode };
        const path = `/v1/agents/${this.#agents[one.agent] ?? projectID}/heartbeat`;
        return request('POST', path, { as: operator, body });
      }
      case 'dismiss': {
        const path = `/v1/agent_errors/${this.#errors[one.error] ?? projectID}/dismiss`;
        return request('POST', path, { as: operator, body: { reason: one.reason } });
      }
      case 'reopen':
        return request('POST', `/v1/agent_errors/${this.#errors[one.error] ?? projectID}/reopen`, {
          as: operator,
        });
      case 'delete agent':
        return request('DELETE', `/v1/agents/${this.#agents[one.agent] ?? projectID}`, { as: operator });
      case 'create token': {
        const body = { name: one.name, permissions: one.permissions };
        return this.#noting(this.#tokens, 'POST', `/v1/projects/${projectID}/tokens`, { as: operator, body });
      }
      case 'revoke token':
        return request('DELETE', `/v1/project_tokens/${this.#tokens[one.token] ?? projectID}`, {
          as: operator,
        });
      case 'list agents': {
        const { name, tag, fleet: fleet_id, status } = one;
        return get(`/v1/projects/${projectID}/agents`, { name, tag, fleet_id, status, ...one.page });
      }
      case 'list tokens':
        return get(`/v1/projects/${projectID}/tokens`, { name: one.name, status: one.status, ...one.page });
      case 'list errors': {
        const path = `/v1/agents/${this.#agents[one.agent] ?? projectID}/errors`;
        return get(path, { dismissed: one.dismissed, ...one.page });
      }
      case 'list inbox': {
        const agent_id = one.agent === null ? null : this.#agents[one.agent];
        const { q, since, until } = one;
        const query = { q, agent_id, dismissed: one.dismissed, since, until, ...one.page };
        return get(`/v1/projects/${projectID}/agent_errors`, query);
      }
      case 'get agent':
        return get(`/v1/agents/${this.#agents[one.agent] ?? projectID}`);
      case 'list configurations':
        return get(`/v1/agents/${this.#agents[one.agent] ?? projectID}/config_history`, one.page);
      case 'wait':
        this.#app.clock.advance(one.milliseconds);
        return get('/readyz').then((answer) => ({ ...answer, text: '' }));
    }
  }

  async #noting(ids: string[], method: string, path: string, options: RequestOptions): Promise<Answer> {
    const answer = await this.#app.request<{ id?: string } | readonly { id?: string }[]>(
      method,
      path,
      options,
    );
    for (const { id } of [answer.body].flat()) if (answer.status === 201 && id !== undefined) ids.push(id);
    return answer;
  }

  #query(query: Readonly<Record<string, unknown>>): string {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    const parameters = new URLSearchParams();
    for (const [name, value] of given) {
      parameters.append(name, value === 'next' ? (this.#next ?? 'next') : String(value));
    }
    return given.length === 0 ? '' : `?${parameters}`;
  }
}

/** Data that timers of each app write within seconds is compared only where a list flushes it first. */
function seen({ status, headers, text: whole }: Answer) {
  const body = whole.replaceAll(/"(occurrences|lastSeenAt|statusSince)":[^,}]+/g, '"$1":…');
  const { link, 'muster-agent-error': outcome, 'retry-after': retryAfter } = headers;
  return { status, link, outcome, retryAfter, body };
}
