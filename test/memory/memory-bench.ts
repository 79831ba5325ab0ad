import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { type Answer, ReportConnection } from '../../bench/load/report-connection.ts';
import { heapBytes, nodeOptionsThatTellHeap } from '../../bench/processes/heap-usage.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { type MusterProcess, startMuster } from '../../server/src/testing/muster-process.ts';
import { send } from '../replicas/send.ts';
import { requestText } from '../robustness/request-text.ts';

const adminToken = randomBytes(24).toString('hex');
const mebibyte = 2 ** 20;
const atOnce = 32;

/** The built service in a separate process, whose heap is measured from outside. */
export class MemoryBench {
  readonly project: { readonly id: string; readonly token: string };
  readonly #service: MusterProcess;
  /** Connections without a request. */
  readonly #idle: ReportConnection[] = [];

  private constructor(service: MusterProcess, project: MemoryBench['project']) {
    this.#service = service;
    this.project = project;
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<MemoryBench> {
    const service = await startMuster({
      env: {
        MUSTER_ADMIN_TOKEN: adminToken,
        MUSTER_LOG_LEVEL: 'fatal',
        NODE_OPTIONS: nodeOptionsThatTellHeap,
        ...env,
      },
    });
    const { body } = await send<MemoryBench['project']>(`${service.url}/v1/projects`, {
      headers: { authorization: `Bearer ${adminToken}` },
      body: { name: 'memory' },
    });
    return new MemoryBench(service, body);
  }

  get url(): string {
    return this.#service.url;
  }

  /** As the administrator, unless other headers are given. `fetch` uses more of the processor than the service does. */
  async send<Body>(
    method: string,
    target: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = { authorization: `Bearer ${adminToken}` },
  ): Promise<{ readonly status: number; readonly body: Body }> {
    const connection = this.#idle.pop() ?? (await this.#connect());
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const request = { method, target, headers: [...lines, 'Content-Type: application/json'], ...sent };
    const answer = await exchange(connection, requestText(request).toString('latin1'));
    if (answer === undefined)
      throw new Error(`the connection ended before the answer to ${method} ${target}`);
    this.#idle.push(connection);
    const text = answer.body.toString();
    return { status: answer.status, body: (text === '' ? undefined : JSON.parse(text)) as Body }; // the test says what it expects
  }

  async heapMegabytes(): Promise<number> {
    const { child, stdout } = this.#service;
    const bytes = await heapBytes({ kill: (signal) => child.kill(signal), stdout: () => stdout.text });
    return bytes / mebibyte;
  }

  /**
   * Sends GET requests with these headers over connections that stay open, which costs much less than `send`.
   *
   * @throws Error if one is answered with another status
   */
  async get(
    count: number,
    requestOf: (number: number) => { readonly target: string; readonly headers: readonly string[] },
    statuses: readonly number[],
  ): Promise<void> {
    let begun = 0;
    const client = async (): Promise<void> => {
      const connection = await this.#connect();
      while (begun < count) {
        begun += 1;
        const request = requestText(requestOf(begun)).toString('latin1');
        const answer = await exchange(connection, request);
        expect(statuses).toContain(answer?.status);
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: atOnce }, client));
  }

  /** Background writes finish within seconds. */
  async untilHeapIsBelow(megabytes: number): Promise<void> {
    await eventually(async () => expect(await this.heapMegabytes()).toBeLessThan(megabytes));
  }

  async #connect(): Promise<ReportConnection> {
    const { hostname, port } = new URL(this.url);
    const connection = new ReportConnection(hostname, Number(port));
    await connection.opened;
    return connection;
  }

  async stop(): Promise<void> {
    for (const connection of this.#idle) connection.close();
    expect(await this.#service.end()).toEqual({ code: 0, signal: null });
  }
}

/** Runs it that many times, some of them concurrently. */
export async function times(count: number, work: (number: number) => Promise<unknown>): Promise<void> {
  let begun = 0;
  const worker = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      await work(begun);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

function exchange(connection: ReportConnection, request: string): Promise<Answer | undefined> {
  return new Promise((resolve) => connection.send(request, resolve));
}
