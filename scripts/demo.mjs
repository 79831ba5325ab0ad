import { ensureInstalled } from './ensure-installed.mjs';

await ensureInstalled();
const { register } = await import('tsx/esm/api');
register();
// In this process, so that Ctrl-C reaches the demo and its exit code the shell.
await import('../demo/src/main.ts');
