import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentError } from '@muster/contract';
import { nextPage } from '../../server/src/testing/calls/agent-error-calls.ts';
import { type MusterProcess, serveMuster } from '../../server/src/testing/muster-process.ts';
import { send } from '../replicas/send.ts';
import { Line, type LineMode } from './line.ts';
import { SiteProcess } from './site-process.ts';

export interface SiteKillOptions {
  /** Kills of the core instance. */
  readonly kills: number;
  /** The service is killed beside every kill whose number this divides. */
  readonly serviceEvery: number;
  /** Each round is killed at a random moment within this time. */
  readonly maxRoundMilliseconds: number;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly onRound?: (figures: SiteKillFigures) => void;
}

export interface SiteKillFigures {
  readonly kills: number;
  readonly serviceKills: number;
  /** Reports that were answered 201. */
  readonly acknowledged: number;
  /** Reports without an answer, which may be stored or not. */
  readonly unanswered: number;
  /** What is wrong at the end, in words. */
  readonly faults: readonly string[];
}

const agents = 6;
const reportsOfConfig = 12;
const repeated = 'the same text in each configuration';
const adminToken = randomBytes(32).toString('hex');
const asAdmin = { authorization: `Bearer ${adminToken}` };
const modes: readonly LineMode[] = ['pass', 'pass', 'slow', 'midway', 'cut', 'hold'];

/** Kills a core instance and its service under load, with a bad line between them, and checks that each report is stored once and in its order. */
export async function runSiteKillRounds(options: SiteKillOptions): Promise<SiteKillFigures> {
  const rounds = await SiteKillRounds.create();
  try {
    await rounds.start();
    for (let kill = 1; kill <= options.kills; kill += 1) {
      await rounds.run(kill % options.serviceEvery === 0, options);
      options.onRound?.(rounds.figures([]));
    }
    return rounds.figures(await rounds.finish());
  } finally {
    await rounds.end();
  }
}

/** What one agent has reported. It waits for each answer, and sends again what was not answered. */
interface ReportingAgent {
  readonly machineID: string;
  id: string | undefined;
  token: string;
  config: number;
  /** By text and configuration: answered 201, and not answered. */
  readonly sent: Map<string, { acknowledged: number; unanswered: number }>;
  /** Texts that are reported once each, in order. */
  readonly texts: string[];
}

class SiteKillRounds {
  readonly #folder = mkdtempSync(join(tmpdir(), 'muster-site-kill-'));
  readonly #line: Line;
  readonly #port: number;
  readonly #agents: ReportingAgent[] = Array.from({ length: agents }, (_, index) => ({
    machineID: `edge-${index}`,
    id: undefined,
    token: '',
    config: 0,
    sent: new Map(),
    texts: [],
  }));
  #service: MusterProcess | undefined;
  #site: SiteProcess | undefined;
  #siteUrl: string | undefined;
  #projectID = '';
  #projectToken = '';
  #joinToken = '';
  #kills = 0;
  #serviceKills = 0;
  #isOver = false;
  #load: Promise<unknown> = Promise.resolve();

  private constructor(line: Line, port: number) {
    this.#line = line;
    this.#port = port;
  }

  static async create(): Promise<SiteKillRounds> {
    // The service keeps its port when it is started again.
    const port = await freePort();
    return new SiteKillRounds(await Line.to(port), port);
  }

  async start(): Promise<void> {
    await this.#startService();
    const project = await this.#call<{ id: string; token: string }>('/v1/projects', asAdmin, { name: 'p' });
    const joining = await this.#call<{ token: string }>(`/v1/projects/${project.id}/tokens`, asAdmin, {
      name: 'sites',
      permissions: ['create:core_instance'],
    });
    [this.#projectID, this.#projectToken, this.#joinToken] = [project.id, project.token, joining.token];
    await this.#startSite();
    while (!(await this.#isSiteReady())) await pause(20);
    this.#load = Promise.all(this.#agents.map((agent) => this.#report(agent)));
  }

  async run(isServiceKilled: boolean, { maxRoundMilliseconds, random }: SiteKillOptions): Promise<void> {
    const before = this.#acknowledged;
    this.#line.mode = modes[Math.floor(random() * modes.length)] ?? 'pass';
    await pause(random() * maxRoundMilliseconds);
    this.#line.mode = modes[Math.floor(random() * modes.length)] ?? 'pass';
    await pause(random() * maxRoundMilliseconds);
    // Something was at risk, on any machine.
    while (this.#acknowledged < before + agents) await pause(5);
    this.#siteUrl = undefined;
    const ends = [this.#site?.end('SIGKILL')];
    this.#kills += 1;
    if (isServiceKilled) {
      await pause(random() * 50);
      await this.#service?.end('SIGKILL');
      this.#serviceKills += 1;
    }
    await Promise.all(ends);
    await Promise.all([this.#startSite(), isServiceKilled ? this.#startService() : undefined]);
  }

  /** Resolves with what is wrong. */
  async finish(): Promise<string[]> {
    this.#isOver = true;
    await this.#load;
    this.#line.mode = 'pass';
    for (;;) {
      const metrics = await (await fetch(`${this.#siteUrl}/metrics`)).text();
      if (/spooled_reports 0\n/.test(metrics)) {
        const faults = /(lost_reports|refused_items)_total [1-9]\d*/.exec(metrics);
        return [...(faults === null ? [] : [faults[0]]), ...(await this.#check())];
      }
      await pause(100);
    }
  }

  figures(faults: readonly string[]): SiteKillFigures {
    const all = this.#agents.flatMap(({ sent }) => [...sent.values()]);
    return {
      kills: this.#kills,
      serviceKills: this.#serviceKills,
      acknowledged: this.#acknowledged,
      unanswered: all.reduce((sum, { unanswered }) => sum + unanswered, 0),
      faults,
    };
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#site?.end('SIGKILL');
    await this.#service?.end('SIGKILL');
    this.#line.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #acknowledged(): number {
    return this.#agents
      .flatMap(({ sent }) => [...sent.values()])
      .reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  async #startService(): Promise<void> {
    this.#service = serveMuster({
      env: {
        HOST: '127.0.0.1',
        PORT: String(this.#port),
        MUSTER_DATA_DIR: join(this.#folder, 'data'),
        MUSTER_ADMIN_TOKEN: adminToken,
        MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE: '0',
        MUSTER_MAX_OPEN_ERRORS_PER_AGENT: '0',
      },
    });
    await this.#service.ready();
  }

  async #startSite(): Promise<void> {
    this.#site = new SiteProcess({
      url: this.#line.url,
      stateDirectory: join(this.#folder, 'site'),
      token: this.#joinToken,
    });
    this.#siteUrl = await this.#site.url();
  }

  async #isSiteReady(): Promise<boolean> {
    return (await fetch(`${this.#siteUrl}/readyz`)).status === 200;
  }

  /** Until it is over: registers, and then changes the configuration again and again, with reports in between. */
  async #report(agent: ReportingAgent): Promise<void> {
    const { machineID, sent, texts } = agent;
    await this.#insist('POST', '/v1/agents', { name: machineID, machineID }, ({ id, token }) => {
      agent.id = id;
      agent.token = token;
    });
    while (!this.#isOver) {
      agent.config += 1;
      const { id, config } = agent;
      await this.#insist('PATCH', `/v1/agents/${id}`, { rawConfig: `config ${config}` });
      for (let index = 0; index < reportsOfConfig && !this.#isOver; index += 1) {
        const error = index % 2 === 0 ? repeated : `${config}.${index}`;
        if (error !== repeated) texts.push(error);
        const key = keyOf(config, error);
        const counts = sent.get(key) ?? { acknowledged: 0, unanswered: 0 };
        sent.set(key, counts);
        const path = index % 4 === 0 ? `/v1/machines/${machineID}/errors` : `/v1/agents/${id}/errors`;
        counts.unanswered += await this.#insist('POST', path, { error });
        counts.acknowledged += 1;
      }
    }
  }

  /** Sends a request until it is answered. Resolves with the number of attempts that may have arrived without an answer. */
  async #insist(
    method: string,
    path: string,
    body: unknown,
    onAnswer: (body: { id: string; token: string }) => void = () => undefined,
  ): Promise<number> {
    for (let unanswered = 0; ; ) {
      const url = this.#siteUrl;
      if (url === undefined) {
        await pause(2);
        continue;
      }
      try {
        const answer = await fetch(`${url}${path}`, {
          method,
          headers: { 'content-type': 'application/json', 'x-project-token': this.#projectToken },
          body: JSON.stringify(body),
        });
        const text = await answer.text();
        if (answer.status < 300) {
          if (text !== '') onAnswer(JSON.parse(text) as { id: string; token: string });
          return unanswered;
        }
        if (answer.status !== 503) throw new TypeError(`${method} ${path}: ${answer.status} ${text}`);
      } catch (error) {
        if (error instanceof TypeError && error.message.startsWith(method)) throw error;
        unanswered += 1;
      }
      await pause(2);
    }
  }

  /** Every report is stored once, counted as often as it was answered, in its configuration and in the order of its agent. */
  async #check(): Promise<string[]> {
    const faults: string[] = [];
    const listed = await this.#all<{ id: string; machineID: string }>(
      `/v1/projects/${this.#projectID}/agents`,
    );
    for (const { machineID, sent, texts, config } of this.#agents) {
      const ids = listed.filter((one) => one.machineID === machineID).map(({ id }) => id);
      if (ids.length !== 1) faults.push(`${machineID} is ${ids.length} agents`);
      const errors = (await this.#all<AgentError>(`/v1/agents/${ids[0]}/errors?last=1000`)).reverse();
      const found = new Map<string, number>();
      let ofConfig = 0;
      for (const { error, occurrences } of errors) {
        // The order of times is that of the agent: each configuration begins with the repeated text.
        if (error === repeated) ofConfig += 1;
        const key = keyOf(error === repeated ? ofConfig : Number(error.split('.')[0]), error);
        if (found.has(key)) faults.push(`${machineID} has ${key} twice`);
        found.set(key, occurrences);
      }
      const at = new Map(errors.map(({ error, createdAt }) => [error, createdAt]));
      const times = texts.map((text) => at.get(text) ?? '');
      const late = times.findIndex((time, index) => time < (times[index - 1] ?? ''));
      if (late > 0)
        faults.push(`${machineID} has ${texts[late]} of ${times[late]} after one of ${times[late - 1]}`);
      for (const [key, { acknowledged, unanswered }] of sent) {
        const count = found.get(key) ?? 0;
        if (count < acknowledged || count > acknowledged + unanswered)
          faults.push(
            `${machineID} has ${key} ${count} times, of ${acknowledged} and ${unanswered} unanswered`,
          );
      }
      const configs = await this.#all<unknown>(`/v1/agents/${ids[0]}/config_history?last=1000`);
      if (configs.length !== Math.min(config, configs.length) || configs.length === 0)
        faults.push(`${machineID} has ${configs.length} configurations of ${config}`);
    }
    return faults;
  }

  async #all<Item>(path: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const page: { headers: Headers; body: Item[] } = await send(`${this.#service?.url}${next}`, {
        headers: asAdmin,
      });
      items.push(...page.body);
      next = nextPage({ headers: Object.fromEntries(page.headers) });
    }
    return items;
  }

  async #call<Body>(path: string, headers: Record<string, string>, body: unknown): Promise<Body> {
    return (await send<Body>(`${this.#service?.url}${path}`, { headers, body })).body;
  }
}

function keyOf(config: number, error: string): string {
  return `${config}: ${error}`;
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo; // it listens on a port
      server.close(() => resolve(port));
    });
  });
}
