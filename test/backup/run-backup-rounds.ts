import { runBackupRound } from './backup-rounds.ts';

/** Backs up a service under a storm, restores, and compares; again and again. Usage: npm run faults:backup [rounds] */
const rounds = Number(process.argv[2] ?? 20);
let faults = 0;
for (let round = 1; round <= rounds; round += 1) {
  const result = await runBackupRound({ reportsBefore: 2_000 + 3_000 * (round % 5), connections: 32 });
  if (result.lost > 0 || result.doubled > 0 || result.integrity !== 'ok') faults += 1;
  process.stdout.write(`${round}: ${JSON.stringify(result)}\n`);
}
process.stdout.write(`${rounds} rounds, ${faults} with a fault\n`);
process.exitCode = faults === 0 ? 0 : 1;
