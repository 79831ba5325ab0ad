import { ensureInstalled } from './ensure-installed.mjs';
import { inTurn } from './in-turn.mjs';
import { runScript } from './run-command.mjs';
import { root } from './workspace.mjs';

await ensureInstalled();
const { isBuilt } = await import('./build.mjs');
// In a separate process, so that the service does not use the bundler's memory.
if (!isBuilt()) {
  await inTurn(root, async () => {
    const exitCode = await runScript('scripts/build.mjs');
    if (exitCode !== 0) process.exit(exitCode);
  });
}

process.argv.splice(2, 0, 'serve');
// In this process, so that it receives signals and the shell gets its exit code.
await import(new URL('../cli/dist/muster.mjs', import.meta.url).href);
