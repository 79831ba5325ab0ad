import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimLeftovers } from './claim-leftovers.ts';
import { Spool, spoolName } from './spool.ts';
import { type SpoolOwner, thisProcess } from './spool-owner.ts';
import type { SpooledError } from './spooled-error.ts';

let directory = '';

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'muster-spool-')), 'made', 'later');
});

afterEach(() => rmSync(join(directory, '../..'), { recursive: true, force: true }));

/** The id of a process that has ended. */
function endedProcess(startedAt = 1): SpoolOwner {
  return { pid: spawnSync('true').pid, startedAt };
}

function errorsOf(...texts: string[]): SpooledError[] {
  return texts.map((text) => ({ text, configDigest: 'c' }));
}

function openSpool(owner: SpoolOwner, pending: readonly SpooledError[] = []) {
  const failures: Error[] = [];
  const spool = new Spool({
    directory,
    key: 'k',
    owner,
    pending: () => pending,
    onFailure: (error) => failures.push(error),
  });
  return { spool, failures, path: join(directory, spoolName('k', owner)) };
}

async function leftovers(key = 'k') {
  return (await claimLeftovers(directory, [key, 'former'], await thisProcess())).errors;
}

describe('Spool', () => {
  it('keeps errors in a file that only its owner can read', async () => {
    const { spool, path } = openSpool(endedProcess());
    spool.append(errorsOf('a\nb', 'c'));
    spool.append(errorsOf('d'));
    await spool.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(await leftovers()).toEqual(errorsOf('a\nb', 'c', 'd'));
  });

  it('leaves no file after everything was sent', async () => {
    const { spool, path } = openSpool(endedProcess());
    spool.append(errorsOf('a'));
    await spool.settle();
    expect(existsSync(path)).toBe(true);
    spool.clear();
    await spool.close();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('keeps errors that came after it was cleared', async () => {
    const { spool } = openSpool(endedProcess());
    spool.append(errorsOf('a'));
    spool.clear();
    spool.append(errorsOf('b'));
    await spool.close();
    expect(await leftovers()).toEqual(errorsOf('b'));
  });

  it('is rewritten with the pending errors when it is too long', async () => {
    const pending = errorsOf('only this');
    const { spool, path } = openSpool(endedProcess(), pending);
    for (let index = 0; index < 5; index += 1) {
      spool.append(errorsOf('x'.repeat(1_000_000)));
      await spool.settle();
    }
    spool.append(errorsOf('and this'));
    await spool.close();
    expect(statSync(path).size).toBeLessThan(4 * 1_048_576);
    expect(readdirSync(directory)).toHaveLength(1);
    expect((await leftovers()).slice(-2)).toEqual(errorsOf('only this', 'and this'));
  });

  it('reports a full disk once, and never fails', async () => {
    const { spool, failures } = openSpool(endedProcess());
    writeFileSync(join(directory, '../..', 'made'), 'a file in the way');
    spool.append(errorsOf('a'));
    await spool.settle();
    spool.append(errorsOf('b'));
    spool.clear();
    await spool.close();
    expect(failures).toEqual([expect.objectContaining({ code: 'ENOTDIR' })]);
  });
});

describe('claimLeftovers', () => {
  it('skips an incomplete last line, and anything else that is not an error', async () => {
    const { spool, path } = openSpool(endedProcess());
    spool.append(errorsOf('a', 'b'));
    await spool.close();
    appendFileSync(
      path,
      '\0\0garbage\n{"config":"c","text":7}\n{"config":"c","text":""}\nnull\n{"config":"c","text":"cut o',
    );
    expect(await leftovers()).toEqual(errorsOf('a', 'b'));
  });

  it('leaves the spool of a running process alone', async () => {
    const { spool } = openSpool(await thisProcess());
    spool.append(errorsOf('a'));
    await spool.settle();
    expect(await leftovers()).toEqual([]);
    await spool.close();
  });

  it('takes the spool of a dead process whose id another process has now', async () => {
    const { pid, startedAt } = await thisProcess();
    const { spool } = openSpool({ pid, startedAt: startedAt - 1 });
    spool.append(errorsOf('a'));
    await spool.close();
    expect(await leftovers()).toEqual(errorsOf('a'));
  });

  it('gives the leftovers to only one of several concurrent callers', async () => {
    for (let startedAt = 1; startedAt <= 5; startedAt += 1) {
      const { spool } = openSpool(endedProcess(startedAt));
      spool.append(errorsOf(`${startedAt}`));
      await spool.close();
    }
    const claims = await Promise.all(Array.from({ length: 5 }, () => leftovers()));
    expect(
      claims
        .flat()
        .map(({ text }) => text)
        .sort(),
    ).toEqual(['1', '2', '3', '4', '5']);
  });

  it('ignores the spools of another key, and needs no directory', async () => {
    expect(await leftovers()).toEqual([]);
    const { spool } = openSpool(endedProcess());
    spool.append(errorsOf('a'));
    await spool.close();
    expect(await leftovers('other')).toEqual([]);
  });

  it('leaves a file that cannot be read for a later process', async () => {
    const { spool, path } = openSpool(endedProcess());
    spool.append(errorsOf('a'));
    await spool.close();
    const elsewhere = join(directory, '..', 'elsewhere');
    renameSync(path, elsewhere);
    // A disk that fails, as any user sees it.
    symlinkSync(join(directory, 'missing'), path);
    const { errors, discard } = await claimLeftovers(directory, ['k', 'former'], endedProcess());
    await discard();
    expect(errors).toEqual([]);
    renameSync(elsewhere, join(directory, 'missing'));
    expect(await leftovers()).toEqual(errorsOf('a'));
  });

  it('reads the end of a file that is far too long, and removes it on request', async () => {
    const { spool, path } = openSpool(endedProcess());
    spool.append(errorsOf('first'));
    await spool.close();
    appendFileSync(path, `${'x'.repeat(3_000_000)}\n{"config":"c","text":"last"}\n`);
    const { errors, discard } = await claimLeftovers(directory, ['k', 'former'], await thisProcess());
    expect(errors).toEqual(errorsOf('last'));
    await discard();
    expect(readdirSync(directory)).toEqual([]);
  });
});
