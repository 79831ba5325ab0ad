import { setTimeout as sleep } from 'node:timers/promises';
import { type Access, requireText } from './access.ts';
import { type Client, maxConnections, retryAfterSeconds } from './client.ts';
import { type Fault, workingConfig } from './faults.ts';
import type { Statistics } from './statistics.ts';

/** One simulated agent. */
interface Agent {
  readonly name: string;
  readonly fault: Fault;
  id: string;
  token: string;
  isFixed: boolean;
  /** True while it waits as the server asked (Retry-After). */
  quietUntil: number;
}

interface FleetOptions {
  readonly client: Client;
  readonly access: Access;
  readonly faults: readonly Fault[];
  readonly statistics: Statistics;
  /** Stops the fleet once the current requests are answered. */
  readonly signal: AbortSignal;
}

const roundMilliseconds = 1_000;
const places = ['eu-west-1', 'eu-central-1', 'us-east-1'];

/** Agents in one rollout: all get a broken configuration, and all report its errors. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #agents: Agent[] = [];

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  get fixed(): number {
    return this.#agents.filter(({ isFixed }) => isFixed).length;
  }

  get ids(): ReadonlySet<string> {
    return new Set(this.#agents.map(({ id }) => id));
  }

  async register(count: number, onProgress: (done: number) => void): Promise<void> {
    const { client, access, faults, signal } = this.#options;
    await this.#forEach(
      Array.from({ length: count }, (_, index) => index),
      async (index) => {
        const fault = faults[index % faults.length];
        if (fault === undefined) throw new Error('there is no recorded fault');
        const name = `edge-${String(index + 1).padStart(String(count).length, '0')}`;
        const { body } = await client.require(
          {
            method: 'POST',
            path: '/v1/agents',
            headers: { 'X-Project-Token': access.projectToken },
            body: describeAgent(name, index, fault),
          },
          signal,
        );
        const known = { id: requireText(body, 'id'), token: requireText(body, 'token') };
        this.#agents.push({ name, fault, ...known, isFixed: false, quietUntil: 0 });
        onProgress(this.#agents.length);
      },
    );
  }

  /** Every broken agent reports once a second; the first round is always completed. */
  async report(until: number, onProgress: () => void): Promise<void> {
    const { signal, statistics } = this.#options;
    const begun = Date.now();
    const secondsBefore = statistics.seconds;
    const noteTime = (): void => {
      statistics.seconds = secondsBefore + (Date.now() - begun) / 1000;
    };
    for (let isFirst = true; !signal.aborted && (isFirst || Date.now() < until); isFirst = false) {
      const started = Date.now();
      const broken = this.#agents.filter(({ isFixed }) => !isFixed);
      if (broken.length === 0) return;
      await this.#forEach(broken, async (agent) => {
        if (!isFirst && Date.now() >= until) return;
        await this.#reportAll(agent);
        noteTime();
        onProgress();
      });
      const rest = Math.min(started + roundMilliseconds, until) - Date.now();
      if (rest > 0) await sleep(rest, undefined, { signal }).catch(() => undefined);
      noteTime();
    }
  }

  /** Gives a working configuration to that many agents, which then report nothing. */
  async fix(count: number, onProgress: (done: number) => void): Promise<void> {
    const { client, signal } = this.#options;
    let done = 0;
    await this.#forEach(this.#agents.slice(0, count), async (agent) => {
      await client.require(
        {
          method: 'PATCH',
          path: `/v1/agents/${agent.id}`,
          headers: { 'X-Agent-Token': agent.token },
          body: { name: agent.name, rawConfig: workingConfig },
        },
        signal,
      );
      agent.isFixed = true;
      done += 1;
      onProgress(done);
    });
  }

  /** Reports all of the agent's errors, as a real agent does at each flush of its log. */
  async #reportAll(agent: Agent): Promise<void> {
    for (const text of agent.fault.texts) {
      if (Date.now() < agent.quietUntil || this.#options.signal.aborted) return;
      await this.#report(agent, text);
    }
  }

  async #report(agent: Agent, error: string): Promise<void> {
    const { client, access, statistics } = this.#options;
    try {
      const reply = await client.request({
        method: 'POST',
        path: `/v1/agents/${agent.id}/errors`,
        headers: { 'X-Project-Token': access.projectToken },
        body: { error },
      });
      statistics.latencies.add(reply.milliseconds);
      if (reply.status !== 201) statistics.countRefusal(reply.status);
      else if (reply.headers['muster-agent-error'] === 'created') statistics.stored += 1;
      else statistics.ignored += 1;
      agent.quietUntil = Date.now() + (retryAfterSeconds(reply) ?? 0) * 1000;
    } catch {
      statistics.unanswered += 1;
    }
  }

  /** Runs one per connection at a time; starts no more after a failure. */
  async #forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    const { signal } = this.#options;
    const queue = items.values();
    let hasFailed = false;
    const lane = async (): Promise<void> => {
      for (const item of queue) {
        if (signal.aborted || hasFailed) return;
        await work(item).catch((error: unknown) => {
          hasFailed = true;
          throw error;
        });
      }
    };
    await Promise.all(Array.from({ length: Math.min(maxConnections, items.length) }, lane));
  }
}

function describeAgent(name: string, index: number, fault: Fault) {
  const place = places[index % places.length] ?? '';
  return {
    name,
    machineID: `demo-${name}`,
    type: 'fluentbit',
    version: '5.1.1',
    edition: 'community',
    os: 'linux',
    arch: index % 4 === 0 ? 'arm64' : 'x86_64',
    tags: ['demo', place],
    metadata: { k8s: { namespace: 'logging', pod_name: name, node_name: `${place}-${index % 50}` } },
    rawConfig: fault.rawConfig,
  };
}
