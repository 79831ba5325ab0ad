#!/usr/bin/env node
import { runMuster } from './run-muster.ts';

// Not awaited: what `serve` loads imports parts of this file's bundle, which must have finished loading by then.
void runMuster(process.argv.slice(2));
