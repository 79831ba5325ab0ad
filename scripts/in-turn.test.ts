import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inTurn, turnFileName } from './in-turn.mjs';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'muster-turn-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const turnFile = () => join(root, turnFileName);
const neverWaits = { wait: () => Promise.reject(new Error('it waits')) };
const noProcess = 2 ** 22 + 1;

describe('inTurn', () => {
  it('lets the second wait until the first is done, and says so once', async () => {
    const events: string[] = [];
    let endFirst: () => void = () => undefined;
    let first: Promise<number> | undefined;
    await new Promise<void>((begun) => {
      first = inTurn(root, async () => {
        events.push('first begins');
        begun();
        await new Promise<void>((resolve) => {
          endFirst = resolve;
        });
        events.push('first ends');
        return 1;
      });
    });
    let waits = 0;
    const second = inTurn(
      root,
      async () => {
        events.push('second');
        return 2;
      },
      {
        say: (text) => events.push(text),
        wait: async () => {
          waits += 1;
          if (waits === 3) endFirst();
        },
      },
    );
    expect(await Promise.all([first, second])).toEqual([1, 2]);
    expect(events).toEqual([
      'first begins',
      `The process ${process.pid} is installing or building in this checkout. Waiting until it is done …`,
      'first ends',
      'second',
    ]);
    expect(existsSync(turnFile())).toBe(false);
  });

  it('leaves no turn behind after a failure', async () => {
    await expect(inTurn(root, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await inTurn(root, async () => 1, neverWaits)).toBe(1);
  });

  it('does not wait for a process that was killed', async () => {
    writeFileSync(turnFile(), String(noProcess));
    expect(await inTurn(root, async () => 1, neverWaits)).toBe(1);
  });

  it('does not wait for a process that has got the number of one that was killed', async () => {
    writeFileSync(turnFile(), String(process.pid));
    const now = Date.UTC(2026, 0, 1);
    utimesSync(turnFile(), now / 1_000, now / 1_000);
    const options = { ...neverWaits, say: () => undefined };
    await expect(inTurn(root, async () => 1, { ...options, now: () => now + 59_000 })).rejects.toThrow(
      'it waits',
    );
    expect(await inTurn(root, async () => 1, { ...options, now: () => now + 61_000 })).toBe(1);
  });
});
