import { ensureInstalled } from './ensure-installed.mjs';

/** `node scripts/kill-loop.mjs [rounds]`: kills the service under load at random moments; 200 rounds by default. */
await ensureInstalled();
const { register } = await import('tsx/esm/api');
register();
const { build } = await import('./build.mjs');
const { runKillRounds } = await import('../test/faults/kill-rounds.ts');

const rounds = Number(process.argv[2] ?? 200);
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error('The one argument is a number of rounds, such as 200.');
  process.exit(2);
}
await build();
const figures = await runKillRounds({
  rounds,
  connections: 32,
  maxRoundMilliseconds: 1_500,
  random: Math.random,
  onRound: (soFar) => console.log(describe(soFar)),
});
console.log(`${describe(figures)}, integrity ${figures.integrity}`);
process.exitCode = figures.lost + figures.doubled > 0 || figures.integrity !== 'ok' ? 1 : 0;

/** @param {import('../test/faults/kill-rounds.ts').KillFigures} figures */
function describe({ rounds, killedAtStart, acknowledged, lost, doubled, readyMilliseconds }) {
  const ready = [...readyMilliseconds].sort((one, other) => one - other);
  const median = ready[Math.floor(ready.length / 2)];
  return [
    `rounds ${rounds} (${killedAtStart} killed at their start too)`,
    `acknowledged ${acknowledged}`,
    `lost ${lost}`,
    `doubled ${doubled}`,
    `ready again in ${median} ms (median), ${ready.at(-1)} ms (slowest)`,
  ].join(', ');
}
