import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordFirstMinutes } from '../test/install/first-minutes.ts';
import { installCommand } from '../test/install/install-guide.ts';
import { packMuster } from '../test/install/installed-muster.ts';
import { fillRecordedParts } from '../test/install/recorded-parts.ts';
import { root } from './workspace.mjs';

/** Does what the README tells for the first minutes, and writes into it what was printed. */
const readme = join(root, 'README.md');
const muster = await packMuster();
try {
  await muster.run(installCommand());
  writeFileSync(readme, fillRecordedParts(readFileSync(readme, 'utf8'), await recordFirstMinutes(muster)));
  console.log('README.md holds what the programs print now.');
} finally {
  muster.remove();
}
