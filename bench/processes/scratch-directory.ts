import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Closing } from './closing.ts';

/**
 * A directory for what lasts no longer than this process, on the disk that is measured: the system's own one for
 * temporary files may lie in memory, where nothing is ever slow.
 */
export function createScratchDirectory(closing: Closing, keptDirectory: string): string {
  mkdirSync(keptDirectory, { recursive: true });
  removeLeftBehind(keptDirectory);
  const directory = mkdtempSync(join(keptDirectory, `run-${process.pid}-`));
  closing.add(() => rmSync(directory, { recursive: true, force: true }));
  // PostgreSQL runs as another user where this is root.
  chmodSync(directory, 0o755);
  process.env.TMPDIR = directory;
  return directory;
}

/** What runs have left that were killed. */
function removeLeftBehind(keptDirectory: string): void {
  for (const name of readdirSync(keptDirectory)) {
    const pid = /^run-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(keptDirectory, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's, which it is not allowed to signal.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
