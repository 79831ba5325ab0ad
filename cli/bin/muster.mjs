#!/usr/bin/env node
import { existsSync } from 'node:fs';

// npm links a command at the install only when its file is there, and what is built comes later.
const built = new URL('../dist/muster.mjs', import.meta.url);
if (existsSync(built)) {
  await import(built.href);
} else {
  process.stderr.write(
    "muster: it is not built yet.\n  Run 'npm run build', or 'npm start' for the server itself.\n",
  );
  process.exitCode = 1;
}
