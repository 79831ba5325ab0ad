import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isBuilt } from '../../../../scripts/build.mjs';
import { root } from '../../../../scripts/workspace.mjs';

const built = join(root, 'cli/dist/muster.mjs');

/**
 * What Node runs as `muster`: the built command, because the one from source takes seconds of the processor to load.
 * If the build is stale, as after an edit before a single test is run, the source.
 */
export const musterCommand: readonly string[] =
  existsSync(built) && isBuilt() ? [built] : ['--import', 'tsx', join(root, 'cli/src/muster.ts')];
