import type { Clock } from '../../../foundation/clock.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { isDatabaseFailure } from '../../../foundation/database/database-failures.ts';
import { Refusal } from '../../../foundation/refusal.ts';
import { WriteBehind } from '../../../foundation/write-behind.ts';
import type { Listening } from './listening.ts';
import {
  addBeat,
  addRequest,
  addStop,
  mergeSigns,
  noSigns,
  type Passage,
  type SignsOfAgent,
} from './signs-of-agent.ts';
import { addSigns } from './signs-store.ts';

interface SignsOfLifeOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly listening: Listening;
  readonly onFailure: (error: unknown) => void;
}

/** The content of a heartbeat. */
export interface Heartbeat {
  /** 0: no promise. */
  readonly heartbeatSeconds?: number | null;
  readonly status?: 'running' | 'stopped' | null;
  readonly exitCode?: number | null;
  readonly signal?: string | null;
}

/** Other replicas see a sign of life at most this long, plus the duration of a write, after it arrived. */
const intervalMilliseconds = 5_000;
/** Up to this number of signs is written before a list that depends on them. With more, the list may lag by the interval. */
const maxWrittenFirst = 2_000;

/** Signals with which people stop a process, and the exit codes of shells for them. */
const requestedSignals: ReadonlySet<string> = new Set(['SIGTERM', 'SIGINT']);
const requestedExitCodes: ReadonlySet<number> = new Set([0, 128 + 2, 128 + 15]);

/**
 * Gathers signs of life in memory and writes them in batches. An end is acknowledged only after it is written. Ends that
 * arrive during a write share the next one.
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
      isOutage: isDatabaseFailure,
      intervalMilliseconds,
    });
  }

  /** Records a request of the agent, of any kind. */
  noteSeen(agentID: string, passage?: Passage): void {
    const at = passage?.at ?? this.#options.clock();
    this.#change(agentID, (signs) => addRequest(signs, at, passage?.coreInstanceID ?? null));
  }

  /** Records a request that a running agent sends regularly. */
  noteBeat(agentID: string, heartbeatSeconds?: number | null, passage?: Passage): void {
    const at = passage?.at ?? this.#options.clock();
    this.#change(agentID, (signs) => {
      addRequest(signs, at, passage?.coreInstanceID ?? null);
      addBeat(signs, at);
      if (at >= signs.seenAt) promise(signs, heartbeatSeconds);
    });
  }

  /** Stores how often an agent will send a sign of life. Resolves when it is stored. */
  async notePromise(agentID: string, heartbeatSeconds: number): Promise<void> {
    this.#change(agentID, (signs) => promise(signs, heartbeatSeconds));
    await this.#writeNow(agentID);
  }

  /** Stores that the agent has ended. Resolves when that is durable. */
  async noteStop(
    agentID: string,
    { heartbeatSeconds, exitCode, signal }: Heartbeat,
    passage?: Passage,
  ): Promise<void> {
    const at = passage?.at ?? this.#options.clock();
    const stop = {
      at,
      exitCode: exitCode ?? null,
      signal: signal ?? null,
      isFailure: isFailure(exitCode ?? 0, signal ?? undefined),
    };
    this.#change(agentID, (signs) => {
      addRequest(signs, at, passage?.coreInstanceID ?? null);
      // One that was passed on late does not end an agent that was heard since.
      if (passage !== undefined && at < signs.seenAt) return;
      addStop(signs, { ...stop, at: signs.seenAt });
      promise(signs, heartbeatSeconds);
    });
    await this.#writeNow(agentID);
  }

  /** Call when an error of the agent was dismissed or its configuration changed: it may be healthy from then on. */
  noteRecovery(agentID: string): void {
    const now = this.#options.clock();
    this.#change(agentID, (signs) => {
      signs.recoveredAt = now;
    });
  }

  /** Writes the gathered signs of these agents, so that following reads are up to date. */
  async flushAgents(agentIDs: readonly string[]): Promise<void> {
    const gathered = agentIDs.filter((id) => this.#signs.has(id));
    if (gathered.length > 0) await this.#signs.flushKeys(gathered);
  }

  /** Writes all gathered signs. */
  async flush(): Promise<void> {
    await this.#signs.flush();
  }

  /** Writes all gathered signs, unless there are too many. */
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
    // A failed write may have put the agent back among the gathered signs.
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
