#!/usr/bin/env node
import { runMuster } from './run-muster.ts';
import { processTerminal } from './terminal/process-terminal.ts';

// Not awaited: what `serve` loads imports parts of this file's bundle, which must have finished loading by then.
void runMuster(process.argv.slice(2), processTerminal()).then((exitCode) => {
  // Left to the shell when everything is written and closed. A command may have set its own before.
  if (exitCode !== 0) process.exitCode = exitCode;
});
