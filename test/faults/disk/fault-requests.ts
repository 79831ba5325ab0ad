import { setTimeout as pause } from 'node:timers/promises';
import { send } from '../../replicas/send.ts';

/** The installation before the first fault. */
export interface Prepared {
  readonly adminToken: string;
  readonly projectID: string;
  /** A project token that may do everything. */
  readonly token: string;
  readonly agentID: string;
}

/** Facts that must hold after a restart because a request was answered with success. */
export interface Promised {
  readonly what: string;
  readonly path: string;
  isKept(answer: { readonly status: number; readonly body: unknown }): boolean;
}

export interface RequestFigures {
  /** Number of answers by status; `none` for requests without an answer. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly slowestMilliseconds: number;
  readonly promised: readonly Promised[];
  /** The service's answers after the fault: readiness, and a report. */
  readonly readyStatus: number | undefined;
  readonly lastStatus: number | undefined;
}

const maxAnswerMilliseconds = 20_000;
/** Without keep-alive, a stop does not wait for unused connections. */
const once = { connection: 'close' };
const tries = 3;
/** More pages than the log may have in tests. */
const maxLooks = 50;

/** Creates a project, a token and an agent. */
export async function prepare(url: string, adminToken: string): Promise<Prepared> {
  const asAdmin = { ...once, authorization: `Bearer ${adminToken}` };
  const { body: project } = await send<{ id: string }>(`${url}/v1/projects`, {
    headers: asAdmin,
    body: { name: 'prepared' },
  });
  const { body: token } = await send<{ token: string }>(`${url}/v1/projects/${project.id}/tokens`, {
    headers: asAdmin,
    body: { name: 'everything', permissions: ['*:*'] },
  });
  const { body: agent } = await send<{ id: string }>(`${url}/v1/agents`, {
    headers: { ...once, 'x-project-token': token.token },
    body: { name: 'prepared', machineID: 'prepared', rawConfig: '[INPUT]\n  name cpu' },
  });
  return { adminToken, projectID: project.id, token: token.token, agentID: agent.id };
}

/** The same requests each time: every kind of write, each repeated a few times if it fails. */
export async function runRequests(url: string, prepared: Prepared): Promise<RequestFigures> {
  return new Requests(url, prepared).run();
}

class Requests {
  readonly #url: string;
  readonly #prepared: Prepared;
  readonly #statuses: Record<string, number> = {};
  readonly #promised: Promised[] = [];
  #slowestMilliseconds = 0;

  constructor(url: string, prepared: Prepared) {
    this.#url = url;
    this.#prepared = prepared;
  }

  async run(): Promise<RequestFigures> {
    const { projectID, agentID } = this.#prepared;
    const errors = `/v1/agents/${agentID}/errors`;
    const first = await this.#report(errors, 'first');
    await Promise.all(['one', 'two', 'three'].map((text) => this.#report(errors, text)));
    await this.#reportMany(errors, ['array a', 'array b', 'array c']);
    await this.#create('/v1/projects', { name: 'while it fails' }, 'project');
    const tokens = `/v1/projects/${projectID}/tokens`;
    const revoked = await this.#create(tokens, { name: 'while it fails' }, 'project_token');
    await this.#create('/v1/agents', { name: 'late', machineID: 'late', rawConfig: '[OUTPUT]' }, 'agent');
    await this.#report('/v1/machines/unseen/errors', 'first of its machine');
    if (first !== undefined) await this.#dismiss(first);
    await this.#report(errors, 'first');
    if (revoked !== undefined) await this.#revoke(revoked);
    const { lastStatus, readyStatus } = await this.#lookAtReadiness(errors);
    return {
      statuses: this.#statuses,
      slowestMilliseconds: this.#slowestMilliseconds,
      promised: this.#promised,
      readyStatus,
      lastStatus,
    };
  }

  /**
   * On an almost full disk, the small write of the readiness check may fit although a report does not. Each check uses
   * some of the room, so the two soon agree.
   */
  async #lookAtReadiness(errors: string): Promise<Pick<RequestFigures, 'lastStatus' | 'readyStatus'>> {
    for (let look = 1; ; look += 1) {
      const { status: lastStatus } = await this.#try('POST', errors, { error: 'when all is over' });
      const { status: readyStatus } = await this.#try('GET', '/readyz');
      const doAgree = lastStatus === 201 || readyStatus === 503;
      if (doAgree || look === maxLooks) return { lastStatus, readyStatus };
    }
  }

  async #report(path: string, error: string): Promise<string | undefined> {
    const { status, body } = await this.#try('POST', path, { error });
    if (status !== 201) return undefined;
    const { id } = body as { id: string }; // of a report
    this.#promise(
      `error ${error}`,
      `/v1/projects/${this.#prepared.projectID}/agent_errors?last=1000`,
      (answer) => idsIn(answer.body).includes(id),
    );
    return id;
  }

  async #reportMany(path: string, texts: readonly string[]): Promise<void> {
    const { status, body } = await this.#try(
      'POST',
      path,
      texts.map((error) => ({ error })),
    );
    if (status !== 201) return;
    const ids = idsIn(body);
    this.#promise('errors of an array', `${path}?last=1000`, (answer) =>
      ids.every((id) => idsIn(answer.body).includes(id)),
    );
  }

  async #create(path: string, body: object, kind: string): Promise<string | undefined> {
    const answer = await this.#try('POST', path, body);
    if (answer.status !== 201) return undefined;
    const { id } = answer.body as { id: string }; // of anything that is created
    this.#promise(kind, `/v1/${kind}s/${id}`, ({ status }) => status === 200);
    return id;
  }

  async #dismiss(id: string): Promise<void> {
    const { status } = await this.#try('POST', `/v1/agent_errors/${id}/dismiss`, { reason: 'seen' });
    // 409: an earlier attempt succeeded without a success in its answer.
    if (status !== 200 && status !== 409) return;
    const path = `/v1/projects/${this.#prepared.projectID}/agent_errors?last=1000&dismissed=true`;
    this.#promise('dismissal', path, (answer) => idsIn(answer.body).includes(id));
  }

  async #revoke(id: string): Promise<void> {
    const { status } = await this.#try('DELETE', `/v1/project_tokens/${id}`);
    if (status !== 204) return;
    this.#promise('revocation', `/v1/project_tokens/${id}`, (answer) => {
      const { status: state } = answer.body as { status?: string }; // of a token, or of a problem
      return answer.status === 404 || state === 'revoked';
    });
    // From here on, the token need no longer be valid.
    const index = this.#promised.findIndex(({ path }) => path === `/v1/project_tokens/${id}`);
    if (index >= 0 && this.#promised[index]?.what === 'project_token') this.#promised.splice(index, 1);
  }

  #promise(what: string, path: string, isKept: Promised['isKept']): void {
    this.#promised.push({ what, path, isKept });
  }

  /** Returns the last status; after a 503 it tries again as `Retry-After` says. */
  async #try(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number | undefined; body: unknown }> {
    for (let count = 1; ; count += 1) {
      const answer = await this.#send(method, path, body);
      if (answer.status !== 503 || count === tries) return answer;
      await pause(20);
    }
  }

  async #send(method: string, path: string, body?: object) {
    const { adminToken, token } = this.#prepared;
    const begin = performance.now();
    const isOfAgent = path.endsWith('/errors') || path === '/v1/agents';
    try {
      const response = await fetch(`${this.#url}${path}`, {
        method,
        headers: {
          ...once,
          ...(isOfAgent ? { 'x-project-token': token } : { authorization: `Bearer ${adminToken}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(maxAnswerMilliseconds),
      });
      const text = await response.text();
      const parsed: unknown = text === '' ? undefined : JSON.parse(text);
      return this.#note(response.status, begin, parsed);
    } catch {
      return this.#note(undefined, begin, undefined);
    }
  }

  #note(status: number | undefined, begin: number, body: unknown) {
    this.#statuses[status ?? 'none'] = (this.#statuses[status ?? 'none'] ?? 0) + 1;
    this.#slowestMilliseconds = Math.max(this.#slowestMilliseconds, Math.round(performance.now() - begin));
    return { status, body };
  }
}

/** Of an array of anything that has an id. */
function idsIn(body: unknown): string[] {
  return Array.isArray(body) ? body.map(({ id }: { id: string }) => id) : [];
}

/** Names the promised facts that do not hold, and texts that are open twice. */
export async function findBroken(
  url: string,
  { adminToken, agentID }: Prepared,
  promised: readonly Promised[],
): Promise<string[]> {
  const headers = { ...once, authorization: `Bearer ${adminToken}` };
  const broken: string[] = [];
  for (const { what, path, isKept } of promised) {
    if (!isKept(await send(`${url}${path}`, { headers }))) broken.push(`lost: ${what}`);
  }
  const open = `${url}/v1/agents/${agentID}/errors?last=1000&dismissed=false`;
  const { body } = await send<{ error: string }[]>(open, { headers });
  const texts = body.map(({ error }) => error);
  const doubled = texts.filter((text, index) => texts.indexOf(text) !== index);
  return [...broken, ...doubled.map((text) => `doubled: ${text}`)];
}
