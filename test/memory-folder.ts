import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = '/dev/shm';
const gibibyte = 2 ** 30;
/** Several times what the tests of one run use at once. */
const minFreeBytes = 4 * gibibyte;
const minAvailableMemory = 8 * gibibyte;

/**
 * The folder for the temporary files of tests: a file system in memory, because a third of the time of tests was waiting for the disk to sync.
 * Undefined if there is none with enough room that may also run programs; the tests then use the disk. No verdict depends on it.
 */
export function memoryFolder(): string | undefined {
  if (process.platform !== 'linux' || process.env.TMPDIR !== undefined) return undefined;
  return hasRoom() && runsPrograms() ? folder : undefined;
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= minFreeBytes && process.availableMemory() >= minAvailableMemory;
  } catch {
    return false;
  }
}

/** Containers often mount it without this right. */
function runsPrograms(): boolean {
  let own: string | undefined;
  try {
    own = mkdtempSync(join(folder, 'muster-program-'));
    const program = join(own, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
    return spawnSync(program).status === 0;
  } catch {
    return false;
  } finally {
    if (own !== undefined) rmSync(own, { recursive: true, force: true });
  }
}
