import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Output } from './output.ts';

/** Writes twice to a descriptor; returns how often its reader was said to be gone. */
async function writeTo(fd: number): Promise<number> {
  let closed = 0;
  const output = new Output({
    fd,
    onClosed: () => {
      closed += 1;
    },
  });
  for (const line of ['one\n', 'two\n']) {
    output.write(Buffer.from(line));
    await output.whenBelow(0);
  }
  return closed;
}

describe('an output', () => {
  it.runIf(process.platform === 'linux')(
    'loses what a full disk has no room for, and is not ended by it',
    async () => {
      const full = openSync('/dev/full', 'w');
      expect(await writeTo(full)).toBe(0);
      closeSync(full);
    },
  );

  it('is ended once by any other failure', async () => {
    const readOnly = openSync(import.meta.filename, 'r');
    expect(await writeTo(readOnly)).toBe(1);
    closeSync(readOnly);
  });
});
