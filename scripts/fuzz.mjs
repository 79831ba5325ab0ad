import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './ensure-installed.mjs';

/**
 * `node scripts/fuzz.mjs [--count 1000000] [--seed 1]`: sends the service valid requests, requests with one mistake and
 * malformed ones, and stops at the first answer that breaks the contract. The same seed gives the same requests.
 */
await ensureInstalled();
const { register } = await import('tsx/esm/api');
register();
const { build } = await import('./build.mjs');
const { runFuzz } = await import('../test/robustness/fuzz/run-fuzz.ts');

const { values } = parseArgs({ options: { count: { type: 'string' }, seed: { type: 'string' } } });
const count = Number(values.count ?? 1_000_000);
const seed = Number(values.seed ?? randomInt(2 ** 31));
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(seed)) {
  console.error('--count takes a number of requests, such as 1000000, and --seed a whole number.');
  process.exit(2);
}
await build();
console.log(`seed ${seed}`);
let told = 0;
const figures = await runFuzz({
  seed,
  count,
  connections: 16,
  onProgress(soFar) {
    if (soFar.requests - told < 20_000) return;
    told = soFar.requests;
    console.log(describe(soFar));
  },
});
console.log(`${describe(figures)}: every answer is as promised`);

/** @param {import('../test/robustness/fuzz/run-fuzz.ts').FuzzFigures} figures */
function describe({ requests, statuses }) {
  const counts = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  return `${requests} requests, ${counts.join(', ')}`;
}
