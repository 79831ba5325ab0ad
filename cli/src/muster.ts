#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { restartWithStartFlags } from './restart-with-start-flags.ts';
import { processTerminal } from './terminal/process-terminal.ts';

const [, , noun, verb] = process.argv;
const isSite = noun === 'core-instance' && verb === 'start';
const isService = noun === 'serve' || isSite;
if (isService) restartWithStartFlags(process, fileURLToPath(import.meta.url));

// Not awaited: `serve` imports parts of this bundle, which must have finished loading by then.
void run().then((exitCode) => {
  // The process exits with it once everything is written and closed. A command may have set its own before.
  if (exitCode !== 0) process.exitCode = exitCode;
});

async function run(): Promise<number> {
  const args = process.argv.slice(2);
  if (isSite) return (await import('./run-site.ts')).runSite(args, processTerminal());
  return (await import('./run-muster.ts')).runMuster(args, processTerminal());
}
