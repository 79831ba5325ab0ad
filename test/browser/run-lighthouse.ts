import { seedDemoFleet } from './dashboard/seed-demo-fleet.ts';
import { startDashboard } from './dashboard/start-dashboard.ts';
import { installLighthouse } from './lighthouse/install-lighthouse.ts';
import { measureScreens } from './lighthouse/measure-screens.ts';

/**
 * `npm run lighthouse [SCREEN…]`: what Lighthouse says about the sign-in page and the screens of the dashboard, on a desk and on a phone. It installs Lighthouse at
 * its first run. It fails if accessibility or best practices have less than 100 points; speed depends on the machine and is only printed.
 */
const only = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);
const lighthouse = await installLighthouse();
const dashboard = await startDashboard();
let hasFailed = false;
try {
  await seedDemoFleet(dashboard);
  say(
    'screen                 preset     speed  accessibility  best practices   first paint, largest paint, blocked, shift',
  );
  for await (const { screen, preset, scores, times, faults } of measureScreens({
    dashboard,
    lighthouse,
    only,
  })) {
    const columns = [scores.performance, scores.accessibility, scores.bestPractices];
    say(
      `${screen.padEnd(22)} ${preset.padEnd(8)} ${columns.map((score, place) => String(score).padStart([7, 14, 15][place] ?? 0)).join(' ')}   ${times}`,
    );
    for (const fault of faults) say(`    ${fault}`);
    if (scores.accessibility < 100 || scores.bestPractices < 100) hasFailed = true;
  }
} finally {
  await dashboard.close();
}
if (hasFailed) process.exitCode = 1;
