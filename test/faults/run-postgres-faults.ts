import { parseArgs } from 'node:util';
import { build } from '../../scripts/build.mjs';
import { type PostgresFaultFigures, PostgresFaults, postgresFaults } from './postgres-faults.ts';

/** The long run: every fault, with a freeze of a minute; prints the figures as a table in Markdown. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    away: { type: 'string', default: '5' },
    freeze: { type: 'string', default: '60' },
  },
});

await build();
console.log(
  '| fault | away | acknowledged | lost | doubled | miscounted | answers | slowest | usable again after | exits | unhandled |',
);
console.log('|---|---|---|---|---|---|---|---|---|---|---|');
let hasFailed = false;
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const fault of postgresFaults) {
    const awayMilliseconds = Number(fault === 'freeze' ? values.freeze : values.away) * 1_000;
    const faults = await PostgresFaults.start(2);
    try {
      const figures = await faults.run({
        fault,
        connections: 64,
        steadyMilliseconds: 5_000,
        awayMilliseconds,
      });
      console.log(toRow(figures, awayMilliseconds));
      hasFailed ||=
        figures.lost + figures.doubled + figures.miscounted + figures.exited + figures.unhandled > 0;
    } finally {
      await faults.end();
    }
  }
}
process.exitCode = hasFailed ? 1 : 0;

function toRow(figures: PostgresFaultFigures, away: number): string {
  const statuses = Object.entries(figures.statuses).map(([status, count]) => `${count} × ${status}`);
  const cells = [
    figures.fault,
    figures.fault === 'terminate' ? '–' : `${away / 1_000} s`,
    figures.acknowledged,
    figures.lost,
    figures.doubled,
    figures.miscounted,
    statuses.join(', '),
    `${(figures.slowestMilliseconds / 1_000).toFixed(1)} s`,
    figures.usableAgainMilliseconds === undefined
      ? 'never'
      : `${(figures.usableAgainMilliseconds / 1_000).toFixed(1)} s`,
    figures.exited,
    figures.unhandled,
  ];
  return `| ${cells.join(' | ')} |`;
}
