import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

interface Counters {
  /** On a processor, and ready for one. */
  readonly runnableNanoseconds: number;
  readonly readCalls: number;
}

/** Either of them between two looks. Who waits for a disk that hangs does neither, apart from a wake-up now and then. */
const leastNanoseconds = 1_000_000;
const leastReadCalls = 10;

/**
 * Tells a thread that works, or reads from a slow disk, from one that stands still because its disk does not answer.
 * Linux counts it for each thread (proc_pid_schedstat(5), proc_pid_io(5)); elsewhere nothing is known.
 */
export class ThreadActivity {
  #before: Counters | undefined;

  /** Whether it has done something since the last look. Undefined at a first look, and where it is not known. */
  look(systemThreadID: number): boolean | undefined {
    const before = this.#before;
    const now = readCounters(systemThreadID);
    this.#before = now;
    if (before === undefined || now === undefined) return undefined;
    return (
      now.runnableNanoseconds - before.runnableNanoseconds >= leastNanoseconds ||
      now.readCalls - before.readCalls >= leastReadCalls
    );
  }

  /** The next look is a first one. */
  forget(): void {
    this.#before = undefined;
  }
}

/** What the system calls the thread that calls this; 0 where it does not tell. */
export function ownSystemThreadID(): number {
  try {
    return Number(basename(readlinkSync('/proc/thread-self')));
  } catch {
    return 0;
  }
}

/** From memory of the kernel, so that no disk can hold it up. */
function readCounters(systemThreadID: number): Counters | undefined {
  if (systemThreadID === 0) return undefined;
  const folder = `/proc/self/task/${systemThreadID}`;
  try {
    const [running = Number.NaN, waiting = Number.NaN] = readFileSync(`${folder}/schedstat`, 'utf8')
      .split(' ')
      .map(Number);
    const readCalls = Number(/^syscr: (\d+)$/m.exec(readFileSync(`${folder}/io`, 'utf8'))?.[1]);
    const counters = { runnableNanoseconds: running + waiting, readCalls };
    return Object.values(counters).some(Number.isNaN) ? undefined : counters;
  } catch {
    return undefined;
  }
}
