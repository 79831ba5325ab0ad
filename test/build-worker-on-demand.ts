/**
 * A plugin of Vite that builds the database thread before a test loads what starts it. Threads cannot load TypeScript.
 */
export function buildWorkerOnDemand() {
  let built: Promise<void> | undefined;
  return {
    name: 'build-worker-on-demand',
    async transform(_code: string, id: string): Promise<undefined> {
      if (!/\/(?:sqlite-thread-handle|muster-process)\.ts$/.test(id)) return;
      built ??= import('../scripts/build.mjs').then(({ buildWorker }) => buildWorker());
      await built;
    },
  };
}
