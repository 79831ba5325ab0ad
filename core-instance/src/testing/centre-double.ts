import { hash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import {
  CoreInstanceBatch as batchSchema,
  type CoreInstanceBatch,
  type CoreInstanceBatchResult,
  coreInstanceTrendMinutes,
  formatProjectToken,
  formatToken,
  type Problem,
  type ProblemCode,
  problems,
  readProjectToken,
  type SiteCredentials,
} from '@muster/contract';
import { toProblem } from '@muster/http/answers/to-problem';
import { BodyValidators } from '@muster/http/requests/validate-body';

export type Credential = SiteCredentials['items'][number];

const credentialsPerPage = 5_000;

/** What happens to a batch: `lose` stores it and breaks the connection before the answer, `midway` within it. `html` is a page with a status, as proxies have. */
type Fate =
  | 'midway'
  | { readonly html: number }
  | 'store'
  | 'lose'
  | 'drop'
  | { readonly refuse: ProblemCode; readonly retryAfter?: number; readonly fields?: Problem['fields'] };

/** As much of the centre as a core instance calls, with the rule of its sequence, and with faults of the line. */
export class CentreDouble {
  readonly tokenID = '0192f0a0-0000-7000-8000-0000000000aa';
  readonly projectID = '0192f0a0-0000-7000-8000-000000000001';
  readonly projectToken = this.projectTokenOf(this.projectID);
  /** Items that were applied, in order. */
  readonly items: CoreInstanceBatch['items'][number][] = [];
  readonly statuses: CoreInstanceBatch['status'][] = [];
  readonly joins: Record<string, unknown>[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  readonly faults: string[] = [];
  sequence = 0;
  pendingID: string | null = null;
  #batchID: string | null = null;
  fate: (batch: CoreInstanceBatch) => Fate = () => 'store';
  answer: Partial<CoreInstanceBatchResult> = {};
  joinRefusal: ProblemCode | undefined;
  credentials: Credential[] = [];
  /** Not after it was restored from a backup. */
  knowsCursors = true;
  limits: SiteCredentials['limits'] = {
    newErrorsPerAgentPerMinute: 120,
    newErrorsPerProjectPerSecond: 0,
    invalidCredentialsPerAddressPerMinute: 30,
    registration: 'open',
  };
  readonly #validate = new BodyValidators().compile(batchSchema);
  readonly #server: Server;
  #token = '';
  /** The token that ends when the current one is used for the first time. */
  #earlierToken: string | undefined;
  /** What happens to a rotation: `lose` breaks the connection before the answer. */
  rotationFate: () => 'answer' | 'lose' = () => 'answer';
  rotations = 0;
  #port = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<CentreDouble> {
    const centre = new CentreDouble();
    await centre.listen();
    return centre;
  }

  listen(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.listen(this.#port, '127.0.0.1', () => {
        this.#port = (this.#server.address() as AddressInfo).port; // it listens on TCP
        resolve();
      });
    });
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${this.#port}`);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Counts of errors by their text. */
  get counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const item of this.items) {
      if (item.kind !== 'errors') continue;
      for (const { error, count } of item.errors) counts[error] = (counts[error] ?? 0) + count;
    }
    return counts;
  }

  projectTokenOf(projectID: string): string {
    return formatProjectToken({ projectID, tokenID: this.tokenID }, randomBytes(32));
  }

  credentialOf(token: string, fields: Partial<Credential> = {}): Credential {
    return {
      kind: 'project',
      digest: hash('sha256', token),
      id: this.tokenID,
      permissions: ['create:agent', 'create:agent_error', 'update:agent'],
      networks: [],
      rates: [],
      expiresAt: null,
      revoked: false,
      deleted: false,
      ...fields,
    };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
    this.headers.push(request.headers);
    const path = request.url?.split('?', 1)[0];
    if (path === '/v1/core_instances') this.#join(JSON.parse(text), request, response);
    else if (!this.#accepts(request.headers['x-core-instance-token'])) refuse(response, 'invalid_credential');
    else if (path === '/v1/core_instances/self/rotate') this.#rotateOwn(request, response);
    else if (path === '/v1/core_instances/self/credentials') this.#list(request, response);
    else if (path === '/v1/core_instances/self/batches') this.#store(JSON.parse(text), request, response);
    else refuse(response, 'route_not_found');
  }

  #join(body: Record<string, unknown>, { headers }: IncomingMessage, response: ServerResponse): void {
    this.joins.push(body);
    if (this.joinRefusal !== undefined) {
      refuse(response, this.joinRefusal);
      return;
    }
    this.#token = formatToken('core_instance', randomBytes(32));
    const { projectID } = readProjectToken(String(headers['x-project-token'])) ?? this;
    send(response, 201, { ...joinedFields, projectID, name: body.name ?? 'made-up', token: this.#token });
  }

  /** As an operator does: with no time, the site has to join again. */
  rotate(graceSeconds = 3_600): void {
    this.#earlierToken = graceSeconds > 0 ? this.#token : undefined;
    this.#token = formatToken('core_instance', randomBytes(32));
  }

  #accepts(token: unknown): boolean {
    if (token === this.#token) this.#earlierToken = undefined;
    return token === this.#token || (this.#earlierToken !== undefined && token === this.#earlierToken);
  }

  #rotateOwn(request: IncomingMessage, response: ServerResponse): void {
    this.rotations += 1;
    this.#earlierToken ??= this.#token;
    this.#token = formatToken('core_instance', randomBytes(32));
    if (this.rotationFate() === 'lose') request.socket.destroy();
    else
      send(response, 200, {
        ...joinedFields,
        projectID: this.projectID,
        name: 'plant-7',
        token: this.#token,
      });
  }

  /** In pages. Whoever has them all gets them all again, for a change may be anywhere. */
  #list(request: IncomingMessage, response: ServerResponse): void {
    const { limits, credentials } = this;
    const cursor = new URL(request.url ?? '', 'http://centre').searchParams.get('cursor');
    if (cursor !== null && !this.knowsCursors) {
      refuse(response, 'invalid_cursor');
      return;
    }
    const start = Number(/^from (\d+)$/.exec(cursor ?? '')?.[1] ?? 0);
    const end = start + credentialsPerPage;
    const more = end < credentials.length;
    const items = credentials.slice(start, end);
    const next = more ? `from ${end}` : `cursor ${credentials.length}`;
    send(response, 200, { limits, cursor: next, reset: start === 0, more, items });
  }

  #store(batch: CoreInstanceBatch, request: IncomingMessage, response: ServerResponse): void {
    try {
      this.#validate(batch);
    } catch (error) {
      this.faults.push(String(error));
      refuse(response, 'invalid_body');
      return;
    }
    const fate = this.fate(batch);
    if (typeof fate === 'object') {
      if ('html' in fate) response.writeHead(fate.html, { 'Content-Type': 'text/html' }).end('<h1>No</h1>');
      else refuse(response, fate.refuse, fate.fields);
      return;
    }
    if (fate !== 'drop') this.#apply(batch);
    if (fate === 'midway') {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 1_000 });
      response.write('{"sequence":', () => request.socket.destroy());
      return;
    }
    if (fate !== 'store') {
      request.socket.destroy();
      return;
    }
    send(response, 200, {
      sequence: this.sequence,
      batchID: this.#batchID,
      pendingID: this.pendingID,
      nextPing: '30s',
      credentialsCursor: `cursor ${this.credentials.length}`,
      rotateBefore: this.#earlierToken === undefined ? null : Date.UTC(2027, 0, 1),
      refused: [],
      aliases: [],
      ...this.answer,
    });
  }

  #apply(batch: CoreInstanceBatch): void {
    this.statuses.push(batch.status);
    const isQuestion = batch.id === undefined && batch.items.length === 0;
    if (isQuestion || batch.sequence <= this.sequence) return;
    this.items.push(...batch.items);
    this.sequence = batch.sequence;
    this.#batchID = batch.id ?? null;
  }
}

const time = '2026-01-01T00:00:00.000Z';
const joinedFields = {
  id: '0192f0a0-0000-7000-8000-0000000000ff',
  version: null,
  tags: [],
  metadata: {},
  status: 'waiting',
  createdAt: time,
  createdBy: { kind: 'project_token', id: null },
  updatedAt: time,
  lastContactAt: null,
  startedAt: null,
  agentsCount: 0,
  spooledCount: 0,
  spooledBytes: 0,
  oldestSpooledAt: null,
  lagSeconds: 0,
  lostCount: 0,
  lastLossAt: null,
  refusedCount: 0,
  lastRefusal: null,
  receivedPerMinute: Array.from({ length: coreInstanceTrendMinutes }, () => 0),
  clockOffsetMilliseconds: null,
  rotatedAt: null,
  revokedAt: null,
};

function refuse(response: ServerResponse, code: ProblemCode, fields?: Problem['fields']): void {
  const { status, help } = problems[code];
  send(response, status, toProblem(code, 'request-1', help, fields));
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}
