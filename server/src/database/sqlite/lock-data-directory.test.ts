import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
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

/** Another process that claims the directory and lives until it is ended; answers what it says. */
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
    cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [says] = await once(child.stdout, 'data');
  return { child, says: String(says).trim() };
}

describe('lockDataDirectory', () => {
  it('refuses a second claim in the same process until the first one is given back', () => {
    const unlock = lockDataDirectory(directory);
    expect(() => lockDataDirectory(directory)).toThrow(inUse());
    unlock();
    lockDataDirectory(directory)();
  });

  it('refuses another process, and tells it what to do', async () => {
    const unlock = lockDataDirectory(directory);
    expect((await claimInAnotherProcess()).says).toBe(inUse());
    unlock();
    expect((await claimInAnotherProcess()).says).toBe('claimed');
  });

  it('ends with the process that holds it, also by kill -9', async () => {
    const { child, says } = await claimInAnotherProcess();
    expect(says).toBe('claimed');
    expect(() => lockDataDirectory(directory)).toThrow(inUse());
    child.kill('SIGKILL');
    await once(child, 'exit');
    lockDataDirectory(directory)();
  });

  it('keeps directories apart', () => {
    const unlock = lockDataDirectory(directory);
    const other = mkdtempSync(join(tmpdir(), 'muster-test-'));
    lockDataDirectory(other)();
    unlock();
    rmSync(other, { recursive: true });
  });
});
