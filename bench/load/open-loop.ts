import type { Closing } from '../processes/closing.ts';
import { startWorkerProcess } from '../processes/worker-process.ts';
import type { Fleet } from './load.ts';

/** Reports that are sent when it is their time, however those before fare: a fleet does not wait for the service. */
export interface OpenLoopLoad {
  readonly url: string;
  readonly fleet: Fleet;
  /** Of requests; undefined: each connection sends as soon as it was answered, which finds the most that is taken. */
  readonly perSecond: number | undefined;
  readonly seconds: number;
  /** Open from the start; where all of them wait for answers, a request is given up unsent. */
  readonly connections: number;
  /** After that its connection is closed, as clients do that lose patience. */
  readonly timeoutMilliseconds: number;
  /** In one request; above one, an array is sent. */
  readonly reportsPerRequest: number;
  /** Whether a refusal ends the connection, as it does for Fluent Bit. */
  readonly reconnects: boolean;
}

/** What came of the requests whose time was in one part of the load. */
export interface OpenLoopFigures {
  readonly sent: number;
  /** Answered 201. */
  readonly accepted: number;
  /** Answered 503 with Retry-After. */
  readonly refused: number;
  /** Answered with anything else. */
  readonly unexpected: number;
  /** Heads of the first few of those. */
  readonly examples: readonly string[];
  readonly timedOut: number;
  /** Connections that broke. */
  readonly broken: number;
  /** For want of a free connection. */
  readonly unsent: number;
  /** From the time of the request to its answer, in milliseconds. */
  readonly accepted50: number;
  readonly accepted99: number;
  readonly refused50: number;
  readonly refused99: number;
  /** How late the load itself was, in milliseconds. */
  readonly late99: number;
}

export interface OpenLoopResult {
  readonly whole: OpenLoopFigures;
  /** Answered 201 while the load was on: what was answered after its end does not count. */
  readonly acceptedPerSecond: number;
  /** In slices of half a second, by when requests were to be sent. */
  readonly slices: readonly OpenLoopFigures[];
}

export const sliceMilliseconds = 500;
const graceMilliseconds = 60_000;

export interface OpenLoop {
  run(load: OpenLoopLoad): Promise<OpenLoopResult>;
}

/** In a process of its own, so that it is late for nothing but its own work. */
export function startOpenLoop(closing: Closing): OpenLoop {
  const worker = startWorkerProcess(closing, new URL('open-loop-process.ts', import.meta.url));
  return {
    run: (load) =>
      worker.ask('run', load, load.seconds * 1_000 + load.timeoutMilliseconds + graceMilliseconds),
  };
}
