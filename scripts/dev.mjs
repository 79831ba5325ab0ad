import { watch } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled } from './ensure-installed.mjs';
import { runScript } from './run-command.mjs';
import { root } from './workspace.mjs';

await ensureInstalled();
const { buildWorkers } = await import('./build.mjs');
await buildWorkers();

// tsx itself watches the rest of the source; it also restarts when the worker has been built.
watch(join(root, 'server/src/foundation/database/sqlite'), () => {
  buildWorkers().catch((error) => console.error(error.message));
});

const exitCode = await runScript('node_modules/tsx/dist/cli.mjs', [
  'watch',
  '--clear-screen=false',
  '--include=server/dist/sqlite-worker.mjs',
  'cli/src/muster.ts',
  'serve',
  ...process.argv.slice(2),
]);
process.exit(exitCode);
