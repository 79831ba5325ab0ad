#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { restartWithStartFlags } from './restart-with-start-flags.ts';
import { runMuster } from './run-muster.ts';
import { processTerminal } from './terminal/process-terminal.ts';

const [, , noun, verb] = process.argv;
const isService = noun === 'serve' || (noun === 'core-instance' && verb === 'start');
if (isService) restartWithStartFlags(process, fileURLToPath(import.meta.url));

// Not awaited: `serve` imports parts of this bundle, which must have finished loading by then.
void runMuster(process.argv.slice(2), processTerminal()).then((exitCode) => {
  // The process exits with it once everything is written and closed. A command may have set its own before.
  if (exitCode !== 0) process.exitCode = exitCode;
});
