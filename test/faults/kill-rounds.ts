import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentError } from '@muster/contract';
import { nextPage } from '../../server/src/testing/calls/agent-error-calls.ts';
import { type MusterProcess, serveMuster } from '../../server/src/testing/muster-process.ts';
import { send } from '../replicas/send.ts';
import { checkIntegrity } from './check-integrity.ts';
import { faultSettings } from './fault-settings.ts';
import { startReportLoad } from './report-load.ts';

export interface KillRoundsOptions {
  readonly rounds: number;
  readonly connections: number;
  /** Each round is killed at a random moment within this time. */
  readonly maxRoundMilliseconds: number;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly onRound?: (figures: KillFigures) => void;
}

/** The results so far. */
export interface KillFigures {
  readonly rounds: number;
  /** Of these, how many were also killed before they were ready. */
  readonly killedAtStart: number;
  /** Distinct errors that were answered 201. */
  readonly acknowledged: number;
  /** Acknowledged, but not stored under the returned id. */
  readonly lost: number;
  /** Texts that are stored more than once. */
  readonly doubled: number;
  /** Time from the start of the process until it was ready, for each start that was not killed. */
  readonly readyMilliseconds: readonly number[];
  /** The result of SQLite's integrity check at the end; undefined before. */
  readonly integrity: string | undefined;
}

interface Round {
  readonly agentID: string;
  /** Ids by text. */
  readonly acknowledged: ReadonlyMap<string, ReadonlySet<string>>;
}

const storm = 'the same text on all connections';

/** Kills a service under load repeatedly and checks that everything it acknowledged is stored. */
export async function runKillRounds(options: KillRoundsOptions): Promise<KillFigures> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-kill-'));
  const rounds = new KillRounds(dataDirectory);
  try {
    for (let round = 0; round < options.rounds; round += 1) {
      await rounds.run(options);
      options.onRound?.(await rounds.figures());
    }
    return await rounds.finish();
  } finally {
    await rounds.end();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

class KillRounds {
  readonly #dataDirectory: string;
  readonly #adminToken = randomBytes(32).toString('hex');
  readonly #rounds: Round[] = [];
  readonly #readyMilliseconds: number[] = [];
  #killedAtStart = 0;
  #projectToken: string | undefined;
  #service: MusterProcess | undefined;
  #lost = 0;
  #doubled = 0;

  constructor(dataDirectory: string) {
    this.#dataDirectory = dataDirectory;
  }

  async run({ connections, maxRoundMilliseconds, random }: KillRoundsOptions): Promise<void> {
    await this.#killAtStartNowAndThen(random);
    const url = await this.#start();
    const previous = this.#rounds.at(-1);
    if (previous !== undefined) await this.#check(url, previous);
    const agentID = await this.#register(url);
    const after = random() * maxRoundMilliseconds;
    this.#rounds.push(await this.#killUnderLoad(url, agentID, connections, after));
  }

  /** Checks every round once more, then stops the service as a supervisor does. */
  async finish(): Promise<KillFigures> {
    const url = await this.#start();
    this.#lost = 0;
    this.#doubled = 0;
    for (const round of this.#rounds) await this.#check(url, round);
    await this.#service?.end('SIGTERM');
    this.#service = undefined;
    return this.figures(checkIntegrity(join(this.#dataDirectory, 'muster.db')));
  }

  async figures(integrity?: string): Promise<KillFigures> {
    return {
      rounds: this.#rounds.length,
      killedAtStart: this.#killedAtStart,
      acknowledged: this.#rounds.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0),
      lost: this.#lost,
      doubled: this.#doubled,
      readyMilliseconds: this.#readyMilliseconds,
      integrity,
    };
  }

  async end(): Promise<void> {
    await this.#service?.end('SIGKILL');
  }

  /** The first start creates the tables; later ones recover from the kill before. */
  async #killAtStartNowAndThen(random: () => number): Promise<void> {
    if (this.#rounds.length > 0 && random() >= 0.25) return;
    const service = this.#spawn();
    const usual = this.#readyMilliseconds.at(-1) ?? 1_000;
    await pause(random() * usual * 1.2);
    await service.end('SIGKILL');
    this.#killedAtStart += 1;
  }

  #spawn(): MusterProcess {
    return serveMuster({
      env: {
        ...faultSettings,
        MUSTER_DATA_DIR: this.#dataDirectory,
        MUSTER_ADMIN_TOKEN: this.#adminToken,
        // Every other start checkpoints its log into the database nearly all the time.
        MUSTER_MAX_LOG_MEGABYTES: this.#rounds.length % 2 === 0 ? '1' : '64',
      },
    });
  }

  async #start(): Promise<string> {
    const begin = performance.now();
    this.#service = this.#spawn();
    const url = await this.#service.ready();
    this.#readyMilliseconds.push(Math.round(performance.now() - begin));
    return url;
  }

  async #register(url: string): Promise<string> {
    this.#projectToken ??= (
      await send<{ token: string }>(`${url}/v1/projects`, {
        headers: this.#asAdmin(),
        body: { name: 'killed' },
      })
    ).body.token;
    const { body } = await send<{ id: string }>(`${url}/v1/agents`, {
      headers: { 'x-project-token': this.#projectToken },
      body: { name: 'killed', machineID: `round ${this.#rounds.length}` },
    });
    return body.id;
  }

  async #killUnderLoad(url: string, agentID: string, connections: number, after: number): Promise<Round> {
    const token = this.#projectToken ?? '';
    const load = startReportLoad({ urls: [url], agentID, token, connections, name: 'distinct' });
    const repeats = startRepeating(`${url}/v1/agents/${agentID}/errors`, token, Math.ceil(connections / 4));
    // The first round has acknowledged something, on any machine.
    if (this.#rounds.length === 0) await load.nextAcknowledged();
    await pause(after);
    await this.#service?.end('SIGKILL');
    const [stormIDs] = await Promise.all([repeats.stop(), load.stop()]);
    const acknowledged = new Map([...load.acknowledged()].map(([text, id]) => [text, new Set([id])]));
    if (stormIDs.size > 0) acknowledged.set(storm, stormIDs);
    return { agentID, acknowledged };
  }

  /** Every text is stored once, under every id that was returned for it. */
  async #check(url: string, { agentID, acknowledged }: Round): Promise<void> {
    const stored = new Map<string, string[]>();
    for (let next: string | undefined = `/v1/agents/${agentID}/errors?last=1000`; next !== undefined; ) {
      const page: { headers: Headers; body: AgentError[] } = await send(`${url}${next}`, {
        headers: this.#asAdmin(),
      });
      for (const { error, id } of page.body) stored.set(error, [...(stored.get(error) ?? []), id]);
      next = nextPage({ headers: Object.fromEntries(page.headers) });
    }
    this.#doubled += [...stored.values()].filter((ids) => ids.length > 1).length;
    for (const [text, ids] of acknowledged) {
      if ([...ids].some((id) => !stored.get(text)?.includes(id))) this.#lost += 1;
    }
  }

  #asAdmin(): Record<string, string> {
    return { authorization: `Bearer ${this.#adminToken}` };
  }
}

/** Reports one text on several connections until the service is gone; returns the ids in its answers. */
function startRepeating(url: string, token: string, connections: number): { stop(): Promise<Set<string>> } {
  const ids = new Set<string>();
  let isStopping = false;
  const running = Array.from({ length: connections }, async () => {
    while (!isStopping) {
      try {
        const headers = { 'x-project-token': token };
        const { status, body } = await send<{ id: string }>(url, { headers, body: { error: storm } });
        if (status === 201) ids.add(body.id);
      } catch {
        return;
      }
    }
  });
  return {
    async stop() {
      isStopping = true;
      await Promise.all(running);
      return ids;
    },
  };
}
