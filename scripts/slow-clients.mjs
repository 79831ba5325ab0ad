import { ensureInstalled } from './ensure-installed.mjs';

/**
 * `node scripts/slow-clients.mjs [connections]`: holds connections to a service open in every slow way at once; 1000 by
 * default. Fails if one is held for more than 15 s, or if reports take more than twice as long meanwhile.
 */
await ensureInstalled();
const { register } = await import('tsx/esm/api');
register();
const { build } = await import('./build.mjs');
const { runSlowClients } = await import('../test/robustness/run-slow-clients.ts');

const connections = Number(process.argv[2] ?? 1_000);
if (!Number.isInteger(connections) || connections < 1) {
  console.error('The one argument is a number of connections, such as 1000.');
  process.exit(2);
}
await build();
const { p99Milliseconds, maxHeldSeconds } = await runSlowClients(connections);
const ratio = p99Milliseconds.busy / p99Milliseconds.quiet;
console.log(
  `reports, p99: ${p99Milliseconds.quiet.toFixed(1)} ms, among slow clients ${p99Milliseconds.busy.toFixed(1)} ms (${ratio.toFixed(2)} ×)`,
);
for (const [kind, seconds] of Object.entries(maxHeldSeconds)) {
  console.log(`who ${kind}: out after ${seconds.toFixed(1)} s at most`);
}
process.exitCode = ratio > 2 || Object.values(maxHeldSeconds).some((seconds) => seconds > 15) ? 1 : 0;
