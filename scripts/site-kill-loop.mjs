import { ensureInstalled } from './ensure-installed.mjs';

/** `node scripts/site-kill-loop.mjs [kills]`: kills a core instance, and every fourth time its service too, under load and with a bad line; 200 kills by default. */
await ensureInstalled();
const { register } = await import('tsx/esm/api');
register();
const { build } = await import('./build.mjs');
const { runSiteKillRounds } = await import('../test/core-instance/site-kill-rounds.ts');

const kills = Number(process.argv[2] ?? 200);
if (!Number.isInteger(kills) || kills < 1) {
  console.error('The one argument is a number of kills, such as 200.');
  process.exit(2);
}
await build();
const figures = await runSiteKillRounds({
  kills,
  serviceEvery: 4,
  maxRoundMilliseconds: 600,
  random: Math.random,
  onRound: (soFar) => console.log(describe(soFar)),
});
console.log(describe(figures));
for (const fault of figures.faults) console.log(fault);
process.exitCode = figures.faults.length > 0 ? 1 : 0;

/** @param {import('../test/core-instance/site-kill-rounds.ts').SiteKillFigures} figures */
function describe({ kills, serviceKills, acknowledged, unanswered, faults }) {
  return `${kills} kills of the core instance, ${serviceKills} of the service, ${acknowledged} reports acknowledged, ${unanswered} unanswered, ${faults.length} faults`;
}
