import type { Closing } from '../processes/closing.ts';
import { startWorkerProcess } from '../processes/worker-process.ts';
import type { Fleet } from './load.ts';

/** Sends reports when they are due, regardless of earlier answers: a fleet does not wait for the service. */
export interface OpenLoopLoad {
  readonly url: string;
  readonly fleet: Fleet;
  /** Requests per second; undefined: each connection sends as soon as it was answered, which finds the maximum rate. */
  readonly perSecond: number | undefined;
  readonly seconds: number;
  /** Open from the start; if all of them wait for answers, a request is dropped unsent. */
  readonly connections: number;
  /** The connection is closed after this time, as impatient clients do. */
  readonly timeoutMilliseconds: number;
  /** Reports per request; if more than one, an array is sent. */
  readonly reportsPerRequest: number;
  /** Whether a refusal closes the connection, as in Fluent Bit. */
  readonly reconnects: boolean;
}

/** The results of the requests that were due in one part of the load. */
export interface OpenLoopFigures {
  readonly sent: number;
  /** Answered 201. */
  readonly accepted: number;
  /** Answered 503 with Retry-After. */
  readonly refused: number;
  /** Answered with anything else. */
  readonly unexpected: number;
  /** Heads of the first few of those answers. */
  readonly examples: readonly string[];
  readonly timedOut: number;
  /** Broken connections. */
  readonly broken: number;
  /** Dropped because no connection was free. */
  readonly unsent: number;
  /** From the due time of the request to its answer, in milliseconds. */
  readonly accepted50: number;
  readonly accepted99: number;
  readonly refused50: number;
  readonly refused99: number;
  /** Delay of the load itself, in milliseconds. */
  readonly late99: number;
}

export interface OpenLoopResult {
  readonly whole: OpenLoopFigures;
  /** Answered 201 during the load; answers after its end do not count. */
  readonly acceptedPerSecond: number;
  /** In slices of half a second, by due time. */
  readonly slices: readonly OpenLoopFigures[];
}

export const sliceMilliseconds = 500;
const graceMilliseconds = 60_000;

export interface OpenLoop {
  run(load: OpenLoopLoad): Promise<OpenLoopResult>;
}

/** In a separate process, so that only its own work can delay it. */
export function startOpenLoop(closing: Closing): OpenLoop {
  const worker = startWorkerProcess(closing, new URL('open-loop-process.ts', import.meta.url));
  return {
    run: (load) =>
      worker.ask('run', load, load.seconds * 1_000 + load.timeoutMilliseconds + graceMilliseconds),
  };
}
