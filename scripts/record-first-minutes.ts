import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordFirstMinutes } from '../test/install/first-minutes.ts';
import { installCommand } from '../test/install/install-guide.ts';
import { packMuster } from '../test/install/installed-muster.ts';
import { fillRecordedParts } from '../test/install/recorded-parts.ts';
import { root } from './workspace.mjs';

/** Runs the first steps of the README and writes the programs' output into it. */
const readme = join(root, 'README.md');
const muster = await packMuster();
try {
  await muster.run(installCommand());
  writeFileSync(readme, fillRecordedParts(readFileSync(readme, 'utf8'), await recordFirstMinutes(muster)));
  console.log('README.md now contains the current output of the programs.');
} finally {
  muster.remove();
}
