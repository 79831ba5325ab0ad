import { ensureInstalled } from './ensure-installed.mjs';
import { runScript } from './run-command.mjs';

await ensureInstalled();
const { isBuilt } = await import('./build.mjs');
if (!isBuilt()) {
  const exitCode = await runScript('scripts/build.mjs');
  if (exitCode !== 0) process.exit(exitCode);
}
const { register } = await import('tsx/esm/api');
register();
// In this process, so that Ctrl-C reaches it first and it can stop the processes that it started.
await import('../bench/main.ts');
