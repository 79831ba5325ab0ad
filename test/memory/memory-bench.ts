import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { ReportConnection } from '../../bench/load/report-connection.ts';
import { heapBytes, nodeOptionsThatTellHeap } from '../../bench/processes/heap-usage.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { type Replica, send, startReplica } from '../replicas/start-replica.ts';
import { requestText } from '../robustness/request-text.ts';

const adminToken = randomBytes(24).toString('hex');
const mebibyte = 2 ** 20;
const atOnce = 32;

/** The built service in a separate process, whose heap is measured from outside. */
export class MemoryBench {
  readonly project: { readonly id: string; readonly token: string };
  readonly #replica: Replica;

  private constructor(replica: Replica, project: MemoryBench['project']) {
    this.#replica = replica;
    this.project = project;
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<MemoryBench> {
    const replica = await startReplica({
      MUSTER_ADMIN_TOKEN: adminToken,
      MUSTER_LOG_LEVEL: 'fatal',
      NODE_OPTIONS: nodeOptionsThatTellHeap,
      ...env,
    });
    const { body } = await send<MemoryBench['project']>(`${replica.url}/v1/projects`, {
      headers: { authorization: `Bearer ${adminToken}` },
      body: { name: 'memory' },
    });
    return new MemoryBench(replica, body);
  }

  get url(): string {
    return this.#replica.url;
  }

  /** As the administrator, unless other headers are given. */
  async send<Body>(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    return send<Body>(`${this.url}${path}`, {
      method,
      body,
      headers: headers ?? { authorization: `Bearer ${adminToken}` },
    });
  }

  async heapMegabytes(): Promise<number> {
    const { process, output } = this.#replica;
    const bytes = await heapBytes({ kill: (signal) => process.kill(signal), stdout: output });
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
    const { hostname, port } = new URL(this.url);
    let begun = 0;
    const client = async (): Promise<void> => {
      const connection = new ReportConnection(hostname, Number(port));
      await connection.opened;
      while (begun < count) {
        begun += 1;
        const request = requestText(requestOf(begun)).toString('latin1');
        const answer = await new Promise<{ readonly status: number } | undefined>((resolve) => {
          connection.send(request, resolve);
        });
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

  async stop(): Promise<void> {
    expect(await this.#replica.stop()).toBe(0);
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
