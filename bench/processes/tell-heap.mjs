import { setImmediate as nextTurn } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into a service with `--expose-gc --import`: on SIGUSR2 it writes a line with the bytes that are in use after forced
 * collections. Several are needed, because garbage of the first one may have kept other objects alive.
 */
if (isMainThread) {
  let told = 0;
  process.on('SIGUSR2', async () => {
    for (let round = 0; round < 4; round += 1) {
      globalThis.gc?.();
      await nextTurn();
    }
    const { heapUsed, external } = process.memoryUsage();
    told += 1;
    process.stdout.write(`heap ${told}: ${heapUsed + external} bytes\n`);
  });
}
