import type { VitestPluginContext } from 'vitest/node';

const startsThread = /\/(?:sqlite-thread-handle|check-fleet-config|muster-process)\.ts$/;

/**
 * A plugin of Vite that builds the threads before a test loads what starts one. Threads cannot load TypeScript.
 */
export function buildWorkerOnDemand() {
  let built: Promise<void> | undefined;
  return {
    name: 'build-worker-on-demand',
    /** What is in the cache of an earlier run is not transformed. */
    configureVitest({ experimental_defineCacheKeyGenerator }: VitestPluginContext): void {
      experimental_defineCacheKeyGenerator(({ id }) => (startsThread.test(id) ? false : undefined));
    },
    async transform(_code: string, id: string): Promise<undefined> {
      if (!startsThread.test(id)) return;
      built ??= import('../scripts/build.mjs').then(({ buildWorkers }) => buildWorkers());
      await built;
    },
  };
}
