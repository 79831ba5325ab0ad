import { createRequire } from 'node:module';
import type { Closing } from '../processes/closing.ts';
import { startWorkerProcess } from '../processes/worker-process.ts';
import type { LoadFigures, LoadGenerator } from './load.ts';

const graceMilliseconds = 20_000;

/** Runs autocannon in a new process for every round. */
export function createAutocannonLoad(closing: Closing): LoadGenerator {
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
