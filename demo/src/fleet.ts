import { setTimeout as sleep } from 'node:timers/promises';
import type { Access } from './access.ts';
import { heartbeatSeconds, type Seat, SimulatedAgent } from './agent.ts';
import { type AgentClient, maxConnections, requireText, retryAfterSeconds } from './agent-client.ts';
import type { Release } from './configurations.ts';
import { DemoError } from './demo-error.ts';
import { assignRoles } from './roles.ts';
import type { ServedFleet } from './served-fleet.ts';
import type { Statistics } from './statistics.ts';

interface FleetOptions {
  readonly client: AgentClient;
  readonly access: Pick<Access, 'projectID' | 'projectToken'>;
  readonly statistics: Statistics;
  /** Stops the fleet once the current requests are answered. */
  readonly signal: AbortSignal;
}

const tickMilliseconds = 200;
const heartbeatMilliseconds = heartbeatSeconds * 1000;
/** How often an agent reports an error that lasts. Real ones do so at each flush of their log. */
const reportMilliseconds = 5_000;
/** How often an agent asks for its configuration, as a stock Fluent Bit does. */
const pollMilliseconds = 15_000;
/** How often an agent sends a report again that got no answer. Its next one says the same. */
const reportTries = 3;
/** Between a download and the moment at which the agent runs it. */
const reloadMilliseconds = 50;
/** Three ends with a failure make a crash loop. */
const crashes = 3;

/** The agents of the demo: they register, send heartbeats, report what is wrong, and end as their roles say. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #agents: readonly SimulatedAgent[];

  constructor(count: number, options: FleetOptions) {
    this.#options = options;
    this.#agents = assignRoles(count).map((role, index) => new SimulatedAgent(index, count, role));
  }

  get registered(): readonly SimulatedAgent[] {
    return this.#agents.filter(({ id }) => id !== '');
  }

  withRole(name: SimulatedAgent['role']['name']): SimulatedAgent[] {
    return this.registered.filter(({ role }) => role.name === name);
  }

  /** @param served the fleet that the agents in the place of its name belong to; undefined: there is none */
  async register(served: ServedFleet | undefined, onProgress: (done: number) => void): Promise<void> {
    const { client, access, signal } = this.#options;
    let done = 0;
    await this.#forEach(this.#agents, async (agent) => {
      // It gets its configuration first, and registers with it, as a stock Fluent Bit does.
      if (agent.place === served?.name) agent.seat = await this.#join(served);
      const { body } = await client.require(
        {
          method: 'POST',
          path: '/v1/agents',
          headers: { 'X-Project-Token': access.projectToken },
          body: agent.describe(),
        },
        signal,
      );
      agent.id = requireText(body, 'id');
      agent.token = requireText(body, 'token');
      agent.nextHeartbeatAt = agent.soon(Date.now(), heartbeatMilliseconds);
      if (agent.seat !== undefined) {
        // This tells that it runs what it has.
        await this.#poll(agent.seat);
        agent.nextPollAt = agent.soon(Date.now(), pollMilliseconds);
      }
      done += 1;
      onProgress(done);
    });
  }

  /** Some agents end, some crash again and again, and some are never heard again. */
  async loseSome(): Promise<void> {
    for (const agent of this.withRole('silent')) agent.isRunning = false;
    await this.#forEach(this.withRole('stopped'), (agent) => this.#end(agent, { exitCode: 0 }));
    await this.#forEach(this.withRole('killed'), (agent) => this.#end(agent, { signal: 'SIGKILL' }));
    await this.#forEach(this.withRole('crashing'), async (agent) => {
      for (let start = 1; start <= crashes; start += 1) {
        await this.#report(agent);
        await this.#end(agent, { exitCode: 1 });
      }
    });
  }

  /** Rolls out a release of the configuration to these agents. */
  async rollOut(
    release: Release,
    agents: readonly SimulatedAgent[],
    onProgress: (done: number) => void,
  ): Promise<void> {
    const { client, signal } = this.#options;
    let done = 0;
    await this.#forEach(agents, async (agent) => {
      const before = agent.release;
      agent.release = release;
      await client
        .require(
          {
            method: 'PATCH',
            path: `/v1/agents/${agent.id}`,
            headers: { 'X-Agent-Token': agent.token },
            body: { rawConfig: agent.rawConfig },
          },
          signal,
        )
        .catch((error: unknown) => {
          agent.release = before;
          throw error;
        });
      agent.nextReportAt = 0;
      done += 1;
      onProgress(done);
    });
  }

  /** The agents of the fleet ask for their configuration within so many milliseconds, and not only when it is their time. */
  askSoon(milliseconds: number): void {
    for (const agent of this.registered)
      if (agent.seat !== undefined) agent.nextPollAt = agent.soon(Date.now(), milliseconds);
  }

  /** Lets the fleet live until the signal says so. Each agent with an error reports it at least once. */
  async live(until: AbortSignal, onProgress: () => void): Promise<void> {
    const { signal, statistics } = this.#options;
    const begun = performance.now();
    const secondsBefore = statistics.seconds;
    for (let isFirst = true; !signal.aborted && (isFirst || !until.aborted); isFirst = false) {
      const now = Date.now();
      const due = this.#agents.filter(
        ({ isRunning, nextHeartbeatAt, nextReportAt, nextPollAt, seat, fault }) =>
          isRunning &&
          (nextHeartbeatAt <= now ||
            (fault !== undefined && nextReportAt <= now) ||
            (seat !== undefined && nextPollAt <= now)),
      );
      await this.#forEach(due, async (agent) => {
        // The first round is always completed.
        if (!isFirst && until.aborted) return;
        await this.#speak(agent, now);
        onProgress();
      });
      statistics.seconds = secondsBefore + (performance.now() - begun) / 1000;
      onProgress();
      await sleep(tickMilliseconds, undefined, { signal: AbortSignal.any([until, signal]) }).catch(
        () => undefined,
      );
    }
  }

  /** The agents that run no longer promise heartbeats: otherwise all would be offline soon, and hide what the demo shows. */
  async end(): Promise<void> {
    const running = this.registered.filter(({ isRunning }) => isRunning);
    await this.#forEach(running, (agent) => this.#heartbeat(agent, { heartbeatSeconds: 0 }), {
      isLast: true,
    });
  }

  async #speak(agent: SimulatedAgent, now: number): Promise<void> {
    if (agent.nextHeartbeatAt <= now) {
      agent.nextHeartbeatAt = now + heartbeatMilliseconds;
      await this.#heartbeat(agent, {});
    }
    if (agent.seat !== undefined && agent.nextPollAt <= now) {
      agent.nextPollAt = now + pollMilliseconds;
      await this.#follow(agent, agent.seat);
    }
    if (agent.fault === undefined || agent.nextReportAt > now) return;
    const pause = await this.#report(agent);
    agent.nextReportAt = agent.soon(now, reportMilliseconds / 5) + Math.max(reportMilliseconds, pause * 1000);
  }

  /** It asks its fleet; if it gets another configuration, it runs it and says so. */
  async #follow(agent: SimulatedAgent, seat: Seat): Promise<void> {
    const { client } = this.#options;
    try {
      if (!(await this.#poll(seat))) return;
      await sleep(reloadMilliseconds);
      await client.request({
        method: 'PATCH',
        path: `/v1/agents/${agent.id}`,
        headers: { 'X-Agent-Token': agent.token },
        body: agent.describe(),
      });
      agent.nextReportAt = 0;
      await this.#poll(seat);
    } catch {
      // It asks again.
    }
  }

  /** @throws DemoError if the fleet cannot be found */
  async #join({ name }: ServedFleet): Promise<Seat> {
    const { client, access, signal } = this.#options;
    const { body } = await client.require(
      {
        method: 'GET',
        path: `/v1/search?project_id=${access.projectID}&resource=fleet&term=${name}&exact=true`,
        headers: { 'X-Project-Token': access.projectToken, 'Fleet-Config-Version': '-1' },
      },
      signal,
    );
    const [found]: unknown[] = Array.isArray(body) ? body : [];
    const seat: Seat = { id: requireText(found, 'id'), version: -1, config: '' };
    if (!(await this.#poll(seat))) throw new DemoError(`The fleet ${name} serves no configuration.`);
    await sleep(reloadMilliseconds);
    return seat;
  }

  /** Asks for the configuration. True if it is another one. */
  async #poll(seat: Seat): Promise<boolean> {
    const { client, access, signal } = this.#options;
    const { status, headers, text } = await client.answer(
      {
        method: 'GET',
        path: `/v1/fleets/${seat.id}/config?format=ini&config_format=ini`,
        headers: { 'X-Project-Token': access.projectToken, 'Fleet-Config-Version': String(seat.version) },
      },
      { signal },
    );
    const version = Date.parse(headers['last-modified'] ?? '') / 1_000;
    if (status !== 200 || !(version > seat.version)) return false;
    seat.version = version;
    seat.config = text;
    return true;
  }

  async #end(
    agent: SimulatedAgent,
    how: { readonly exitCode: number } | { readonly signal: string },
  ): Promise<void> {
    agent.isRunning = false;
    // No other one says the same.
    await this.#heartbeat(agent, { status: 'stopped', ...how }, reportTries);
  }

  async #heartbeat(agent: SimulatedAgent, body: Readonly<Record<string, unknown>>, tries = 1): Promise<void> {
    const { client, statistics, signal } = this.#options;
    try {
      const { status } = await client.answer(
        {
          method: 'POST',
          path: `/v1/agents/${agent.id}/heartbeat`,
          headers: { 'X-Agent-Token': agent.token },
          body,
        },
        { signal, tries },
      );
      if (status < 300) statistics.heartbeats += 1;
    } catch {
      // The next one says the same.
    }
  }

  /** @returns the seconds for which the server wants it to wait */
  async #report(agent: SimulatedAgent): Promise<number> {
    const { client, access, statistics, signal } = this.#options;
    const { fault } = agent;
    if (fault === undefined) return 0;
    const onNoAnswer = () => {
      statistics.unanswered += 1;
    };
    try {
      const reply = await client.answer(
        {
          method: 'POST',
          path: `/v1/agents/${agent.id}/errors`,
          headers: { 'X-Project-Token': access.projectToken },
          body: { error: agent.nextText(fault) },
        },
        { signal, tries: reportTries, onNoAnswer },
      );
      statistics.latencies.add(reply.milliseconds);
      if (reply.status !== 201) statistics.countRefusal(reply.status);
      else if (reply.headers['muster-agent-error'] === 'created') statistics.stored += 1;
      else statistics.ignored += 1;
      return retryAfterSeconds(reply) ?? 0;
    } catch {
      return 0;
    }
  }

  /** Runs one per connection at a time; starts no more after a failure. */
  async #forEach<Item>(
    items: readonly Item[],
    work: (item: Item) => Promise<void>,
    { isLast = false } = {},
  ): Promise<void> {
    const { signal } = this.#options;
    const queue = items.values();
    let hasFailed = false;
    const lane = async (): Promise<void> => {
      for (const item of queue) {
        if ((signal.aborted && !isLast) || hasFailed) return;
        await work(item).catch((error: unknown) => {
          hasFailed = true;
          throw error;
        });
      }
    };
    await Promise.all(Array.from({ length: Math.min(maxConnections, items.length) }, lane));
  }
}
