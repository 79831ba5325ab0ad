import { ensureInstalled } from './ensure-installed.mjs';

await ensureInstalled();
const { register } = await import('tsx/esm/api');
register();
// In this process, so that Ctrl-C reaches the demo and the shell gets its exit code.
await import('../demo/src/main.ts');
