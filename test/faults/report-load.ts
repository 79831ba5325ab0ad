import { Agent, request as httpRequest } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** A report that a load has sent. */
interface Sent {
  readonly error: string;
  /** Undefined: no answer. */
  readonly status: number | undefined;
  readonly id: string | undefined;
  readonly milliseconds: number;
}

/** Sends distinct reports on many connections and records each answer. */
export interface ReportLoad {
  /** Texts that were answered 201 until now, with the returned id. */
  acknowledged(): ReadonlyMap<string, string>;
  /** Number of answers by status; `none` for broken connections. */
  statuses(): Readonly<Record<string, number>>;
  /** Maximum duration of a request, in milliseconds. */
  slowest(): number;
  /** Resolves as soon as the service acknowledges another report. */
  nextAcknowledged(): Promise<void>;
  stop(): Promise<void>;
}

interface ReportLoadOptions {
  /** Base URLs of the replicas; each connection uses only one. */
  readonly urls: readonly string[];
  readonly agentID: string;
  readonly token: string;
  readonly connections: number;
  readonly name: string;
  /** After each answer. Absent: none, which takes all of the processors. */
  readonly pauseMilliseconds?: number;
}

const pauseAfterRefusalMilliseconds = 20;

export function startReportLoad(options: ReportLoadOptions): ReportLoad {
  const sent: Sent[] = [];
  const acknowledged = new Map<string, string>();
  const pause = options.pauseMilliseconds ?? 0;
  let isStopping = false;
  let waiting: (() => void)[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  const connections = Array.from({ length: options.connections }, async (_, connection) => {
    const url = options.urls[connection % options.urls.length];
    for (let number = 0; !isStopping; number += 1) {
      const error = `${options.name} ${connection}-${number}`;
      const startedAt = performance.now();
      const answer = await post(agent, `${url}/v1/agents/${options.agentID}/errors`, options.token, error);
      sent.push({ error, ...answer, milliseconds: performance.now() - startedAt });
      if (answer.status === 201) {
        if (answer.id !== undefined) acknowledged.set(error, answer.id);
        for (const resolve of waiting) resolve();
        waiting = [];
        if (pause > 0) await setTimeout(pause);
      } else await setTimeout(pauseAfterRefusalMilliseconds);
    }
  });
  return {
    acknowledged: () => acknowledged,
    statuses() {
      const counts: Record<string, number> = {};
      for (const { status = 'none' } of sent) counts[status] = (counts[status] ?? 0) + 1;
      return counts;
    },
    slowest: () => sent.reduce((slowest, { milliseconds }) => Math.max(slowest, milliseconds), 0),
    nextAcknowledged: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
      }),
    async stop() {
      isStopping = true;
      await Promise.all(connections);
      agent.destroy();
    },
  };
}

function post(
  agent: Agent,
  url: string,
  token: string,
  error: string,
): Promise<{ status: number | undefined; id: string | undefined }> {
  return new Promise((resolve) => {
    const body = JSON.stringify({ error });
    const request = httpRequest(
      url,
      {
        agent,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'x-project-token': token,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode, id: readID(text) }));
        response.on('error', () => resolve({ status: undefined, id: undefined }));
      },
    );
    request.on('error', () => resolve({ status: undefined, id: undefined }));
    request.end(body);
  });
}

function readID(text: string): string | undefined {
  return /"id":"([^"]+)"/.exec(text)?.[1];
}
