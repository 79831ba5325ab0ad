import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordFirstMinutes } from '../test/install/first-minutes.ts';
import { installCommand } from '../test/install/install-guide.ts';
import { packMuster } from '../test/install/installed-muster.ts';
import { fillRecordedParts } from '../test/install/recorded-parts.ts';
import { root } from './workspace.mjs';

/** Runs the first steps of docs/first-minutes.md and writes the programs' output into it. */
const page = join(root, 'docs/first-minutes.md');
const muster = await packMuster();
try {
  await muster.run(installCommand());
  writeFileSync(page, fillRecordedParts(readFileSync(page, 'utf8'), await recordFirstMinutes(muster)));
  console.log('docs/first-minutes.md now contains the current output of the programs.');
} finally {
  muster.remove();
}
