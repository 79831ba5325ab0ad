import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/database.ts';
import { Refusal } from '../../refusal.ts';
import { WriteBehind } from '../../write-behind.ts';
import type { Listening } from './listening.ts';
import { addBeat, addStop, mergeSigns, noSigns, type SignsOfAgent } from './signs-of-agent.ts';
import { addSigns } from './signs-store.ts';

interface SignsOfLifeOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly listening: Listening;
  readonly onFailure: (error: unknown) => void;
}

/** What an agent says with a heartbeat. */
export interface Heartbeat {
  /** 0: it promises nothing. */
  readonly heartbeatSeconds?: number | null;
  readonly status?: 'running' | 'stopped' | null;
  readonly exitCode?: number | null;
  readonly signal?: string | null;
}

/** Other replicas see a sign of life after this time at the latest, and the time that it takes to write it. */
const intervalMilliseconds = 5_000;
/** So many signs are written before a list that depends on them; with more of them it may be behind by the interval. */
const maxWrittenFirst = 2_000;

/** How people end a process, and the codes that shells make of it. */
const requestedSignals: ReadonlySet<string> = new Set(['SIGTERM', 'SIGINT']);
const requestedExitCodes: ReadonlySet<number> = new Set([0, 128 + 2, 128 + 15]);

/**
 * Gathers signs of life in memory and writes them in batches. An end is written before it is answered, together with
 * those that arrive meanwhile.
 */
export class SignsOfLife {
  readonly #options: SignsOfLifeOptions;
  readonly #signs: WriteBehind<SignsOfAgent>;
  #failures = 0;

  constructor(options: SignsOfLifeOptions) {
    this.#options = options;
    this.#signs = new WriteBehind({
      merge: mergeSigns,
      write: (portion) => addSigns(options.database, portion, options.listening.since),
      onFailure: (error) => {
        this.#failures += 1;
        options.onFailure(error);
      },
      intervalMilliseconds,
    });
  }

  /** A request of the agent of any kind. */
  noteSeen(agentID: string): void {
    const now = this.#options.clock();
    this.#change(agentID, (signs) => {
      signs.seenAt = Math.max(signs.seenAt, now);
    });
  }

  /** A request that is sent again and again while the agent runs. */
  noteBeat(agentID: string, heartbeatSeconds?: number | null): void {
    const now = this.#options.clock();
    this.#change(agentID, (signs) => {
      signs.seenAt = Math.max(signs.seenAt, now);
      addBeat(signs, now);
      promise(signs, heartbeatSeconds);
    });
  }

  /** How often an agent will send a sign of life. Resolves when it is stored. */
  async notePromise(agentID: string, heartbeatSeconds: number): Promise<void> {
    this.#change(agentID, (signs) => promise(signs, heartbeatSeconds));
    await this.#writeNow(agentID);
  }

  /** Resolves when it is stored that the agent has ended. */
  async noteStop(agentID: string, { heartbeatSeconds, exitCode, signal }: Heartbeat): Promise<void> {
    const at = this.#options.clock();
    const stop = {
      at,
      exitCode: exitCode ?? null,
      signal: signal ?? null,
      isFailure: isFailure(exitCode ?? 0, signal ?? undefined),
    };
    this.#change(agentID, (signs) => {
      signs.seenAt = Math.max(signs.seenAt, at);
      addStop(signs, { ...stop, at: signs.seenAt });
      promise(signs, heartbeatSeconds);
    });
    await this.#writeNow(agentID);
  }

  /** An error of the agent was dismissed, or it has a new configuration: it may be healthy since then. */
  noteRecovery(agentID: string): void {
    const now = this.#options.clock();
    this.#change(agentID, (signs) => {
      signs.recoveredAt = now;
    });
  }

  /** Writes what is gathered of these agents, so that what is read next of them is up to date. */
  async flushAgents(agentIDs: readonly string[]): Promise<void> {
    const gathered = agentIDs.filter((id) => this.#signs.has(id));
    if (gathered.length > 0) await this.#signs.flushKeys(gathered);
  }

  /** Writes all that is gathered, where that is little. */
  async flushFew(): Promise<void> {
    if (this.#signs.size > 0 && this.#signs.size <= maxWrittenFirst) await this.#signs.flush();
  }

  async close(): Promise<void> {
    await this.#signs.close();
  }

  #change(agentID: string, change: (signs: SignsOfAgent) => void): void {
    this.#signs.change(agentID, (signs = noSigns()) => {
      change(signs);
      return signs;
    });
  }

  /** @throws Refusal database_unavailable */
  async #writeNow(agentID: string): Promise<void> {
    const failuresBefore = this.#failures;
    await this.#signs.flush();
    // It may be back among what is gathered since it could not be written.
    if (this.#failures > failuresBefore && this.#signs.has(agentID))
      throw new Refusal('database_unavailable', { retryAfterSeconds: 5 });
  }
}

function promise(signs: SignsOfAgent, heartbeatSeconds: number | null | undefined): void {
  if (heartbeatSeconds !== undefined && heartbeatSeconds !== null) {
    signs.promisedMilliseconds = heartbeatSeconds * 1_000;
  }
}

function isFailure(exitCode: number, signal: string | undefined): boolean {
  if (signal !== undefined) return !requestedSignals.has(signal);
  return !requestedExitCodes.has(exitCode);
}
