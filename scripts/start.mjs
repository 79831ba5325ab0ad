import { ensureInstalled } from './ensure-installed.mjs';
import { runScript } from './run-command.mjs';

await ensureInstalled();
const { isBuilt } = await import('./build.mjs');
// In a process of its own: the service does not carry the bundler's memory along.
if (!isBuilt()) {
  const exitCode = await runScript('scripts/build.mjs');
  if (exitCode !== 0) process.exit(exitCode);
}

process.argv.splice(2, 0, 'serve');
// In this process, so that signals reach the service and its exit code the shell.
await import(new URL('../cli/dist/muster.mjs', import.meta.url).href);
