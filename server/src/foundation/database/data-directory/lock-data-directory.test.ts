import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockDataDirectory } from './lock-data-directory.ts';

let directory: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'muster-test-'));
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(directory, { recursive: true });
});

const inUse = () =>
  `${directory} is in use by another Muster process. Stop that one, choose another MUSTER_DATA_DIR, or run several on PostgreSQL with DATABASE_URL.`;

/** Starts another process that claims the directory and runs until it is killed. Returns its output. */
async function claimInAnotherProcess(): Promise<{ child: ChildProcess; says: string }> {
  const module = new URL('./lock-data-directory.ts', import.meta.url).href;
  const script = `
    import { lockDataDirectory } from ${JSON.stringify(module)};
    try {
      lockDataDirectory(${JSON.stringify(directory)});
      console.log('claimed');
    } catch (error) {
      console.log(error.message);
    }
    setInterval(() => undefined, 1000);
  `;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('../../../../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [says] = await once(child.stdout, 'data');
  return { child, says: String(says).trim() };
}

describe('lockDataDirectory', () => {
  it('refuses a second claim in the same process until the first one is released', () => {
    const lock = lockDataDirectory(directory);
    expect(() => lockDataDirectory(directory)).toThrow(inUse());
    lock.release();
    lockDataDirectory(directory).release();
  });

  it('refuses another process with a message that says what to do', async () => {
    const lock = lockDataDirectory(directory);
    expect((await claimInAnotherProcess()).says).toBe(inUse());
    lock.release();
    expect((await claimInAnotherProcess()).says).toBe('claimed');
  });

  it('is released when its process ends, even by kill -9', async () => {
    const { child, says } = await claimInAnotherProcess();
    expect(says).toBe('claimed');
    expect(() => lockDataDirectory(directory)).toThrow(inUse());
    child.kill('SIGKILL');
    await once(child, 'exit');
    lockDataDirectory(directory).release();
  });

  it('names the process of another user that holds the lock, and says what to do', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can start a process of another user');
    if (process.platform !== 'linux') skip('only Linux tells who holds a lock');
    if (spawnSync('python3', ['--version']).error !== undefined) skip('python3 is not installed');
    const nobody = 65_534;
    lockDataDirectory(directory).release();
    const file = join(directory, 'muster.lock');
    // The mode of an older version: every user who can read the file can lock it.
    chmodSync(directory, 0o755);
    chmodSync(file, 0o644);
    const lock = `import fcntl, sys, time
held = open(sys.argv[1])
fcntl.lockf(held, fcntl.LOCK_SH, 510, 0x40000002)
print('held', flush=True)
time.sleep(600)`;
    const child = spawn('python3', ['-c', lock, file], { uid: nobody, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout, 'data');
    expect(() => lockDataDirectory(directory)).toThrow(
      `${directory} is in use by a process of another user: process ${child.pid} (python3) of user ${nobody} holds ${file}, and Muster runs as user 0. If that process is a Muster, stop it, or choose another MUSTER_DATA_DIR. If it is not, end it (kill ${child.pid}) and start Muster again.`,
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    lockDataDirectory(directory).release();
  });

  it('stays claimed while it notes that a database is there, and every later claim knows it', () => {
    const lock = lockDataDirectory(directory);
    expect(lock.hasHeldDatabase).toBe(false);
    lock.noteDatabase();
    expect(() => lockDataDirectory(directory)).toThrow(inUse());
    lock.release();
    const later = lockDataDirectory(directory);
    expect(later.hasHeldDatabase).toBe(true);
    later.release();
  });

  it('keeps directories apart', () => {
    const lock = lockDataDirectory(directory);
    const other = mkdtempSync(join(tmpdir(), 'muster-test-'));
    lockDataDirectory(other).release();
    lock.release();
    rmSync(other, { recursive: true });
  });
});
