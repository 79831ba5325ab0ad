import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryFolder } from './memory-folder.ts';

/** Where all temporary files of a run are. */
export interface RunFolder {
  readonly path: string;
  remove(): void;
}

const parentPollMilliseconds = 1_000;

/**
 * Waits until its input ends, which the system sees to however the run ends. Then it ends every process whose environment or command line names the folder,
 * and removes the folder. The pattern has brackets, so that it does not match the commands that look for it.
 */
const keeper = `
read -r folder
cat > /dev/null
rest=\${folder%?}
for round in 1 2 3 4 5; do
  left=$(grep -ls "$rest[\${folder#"$rest"}]" /proc/[0-9]*/environ /proc/[0-9]*/cmdline | cut -d / -f 3)
  [ -n "$left" ] || break
  kill -9 $left
done
rm -rf "$folder"
`;

/** Makes the folder the one for temporary files, here and in the processes that start from here. However the run ends, neither the folder nor such a process stays. */
export function createRunFolder(): RunFolder {
  const parent = memoryFolder() ?? tmpdir();
  const path = mkdtempSync(join(parent, 'muster-run-'));
  // PostgreSQL may run as another user.
  chmodSync(path, 0o711);
  watchOver(path);
  process.env.MUSTER_TEST_LASTING_FOLDER = parent;
  process.env.TMPDIR = path;
  endWithParent();
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Elsewhere than on Linux, an interrupted run leaves its processes. */
function watchOver(folder: string): void {
  const child = spawn('sh', ['-c', keeper], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined).write(`${folder}\n`);
  child.unref();
}

/** Who kills the command that started the run means the run. */
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1);
  }, parentPollMilliseconds).unref();
}
