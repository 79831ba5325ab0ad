import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Closing } from '../processes/closing.ts';
import { startWorkerProcess } from '../processes/worker-process.ts';
import { createWrkLoad } from './wrk-load.ts';

export interface Fleet {
  /** Sent with every report, unless the agent has its own token. */
  readonly credential: { readonly name: string; readonly value: string };
  readonly agents: readonly FleetAgent[];
}

export interface FleetAgent {
  readonly id: string;
  readonly token?: string;
}

/** Reports of errors over connections that are kept open; each connection cycles through the agents and their texts. */
export interface Load {
  readonly url: string;
  readonly fleet: Fleet;
  /** Texts that every agent reports repeatedly. */
  readonly repeatedTexts: readonly string[];
  /** One in this many reports has a new text; 0: none. */
  readonly newEvery: number;
  /** Absent: one. More are sent as an array of as many new texts of one agent. */
  readonly reportsPerRequest?: number;
  readonly connections: number;
  /** Reports that were sent before: the cycle of the agents continues there. */
  readonly alreadySent: number;
  /** May be a fraction. */
  readonly seconds: number;
}

export interface LoadFigures {
  readonly requests: number;
  readonly seconds: number;
  /** Answered with anything except success. */
  readonly refused: number;
  /** Not answered: broken connections and timeouts. */
  readonly broken: number;
  readonly medianMilliseconds: number;
  readonly p99Milliseconds: number;
}

export interface LoadGenerator {
  /** With its version, for the table. */
  readonly name: string;
  run(load: Load): Promise<LoadFigures>;
}

const graceMilliseconds = 20_000;

/** wrk if the system has it, because it uses the fewest resources; otherwise autocannon from npm. */
export function createLoadGenerator(closing: Closing, scratchDirectory: string): LoadGenerator {
  const version = findWrk();
  return version === undefined
    ? createAutocannonLoad(closing)
    : createWrkLoad(closing, scratchDirectory, version);
}

function findWrk(): string | undefined {
  if (process.env.MUSTER_BENCH_LOAD === 'autocannon') return undefined;
  try {
    return /wrk\s+(?:debian\/)?([\d.]+)/.exec(runQuietly('wrk', ['-v']))?.[1] ?? 'of unknown version';
  } catch {
    return undefined;
  }
}

/** `wrk -v` prints its version and ends with 1. */
function runQuietly(command: string, args: readonly string[]): string {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch (error) {
    if (
      error instanceof Error &&
      'stdout' in error &&
      typeof error.stdout === 'string' &&
      error.stdout !== ''
    )
      return error.stdout;
    throw error;
  }
}

/** Runs autocannon in a new process for every round. */
function createAutocannonLoad(closing: Closing): LoadGenerator {
  const { version } = createRequire(import.meta.url)('autocannon/package.json') as { version: string }; // every package has one
  return {
    name: `autocannon ${version}`,
    async run(load) {
      const worker = startWorkerProcess(closing, new URL('autocannon-process.ts', import.meta.url));
      try {
        return await worker.ask<LoadFigures>('run', load, load.seconds * 1_000 + graceMilliseconds);
      } finally {
        await worker.stop();
      }
    },
  };
}
