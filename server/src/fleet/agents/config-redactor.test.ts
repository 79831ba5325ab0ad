import { describe, expect, it } from 'vitest';
import { PacedTurns } from '../../foundation/scheduling/paced-turns.ts';
import { ConfigRedactor, maxStoredConfigLength } from './config-redactor.ts';

const long = `${'# a line\n'.repeat(10_000)}password: Hunter2`;
const redactedLong = long.replace('Hunter2', '--redacted--');

describe('ConfigRedactor', () => {
  it('redacts a short configuration at once', () => {
    expect(new ConfigRedactor().redact('password: Hunter2')).toBe('password: --redacted--');
  });

  it('redacts long ones one after the other, and pauses after each for as long as it took', async () => {
    const events: string[] = [];
    let time = 0;
    let endPause = (): void => {};
    const turns = new PacedTurns({
      now: () => {
        time += 7;
        return time;
      },
      wait: (milliseconds) => {
        events.push(`pause of ${milliseconds} ms`);
        return new Promise<void>((resolve) => {
          endPause = resolve;
        });
      },
    });
    const redactor = new ConfigRedactor(turns);
    const first = Promise.resolve(redactor.redact(long)).then((text) =>
      events.push(`first ${text === redactedLong}`),
    );
    const second = Promise.resolve(redactor.redact(long)).then((text) =>
      events.push(`second ${text === redactedLong}`),
    );
    await first;
    await new Promise(setImmediate);
    expect(events).toEqual(['pause of 7 ms', 'first true']);
    // A short one does not wait for its turn.
    expect(redactor.redact('token: a')).toBe('token: --redacted--');
    endPause();
    await second;
    expect(events).toEqual(['pause of 7 ms', 'first true', 'pause of 7 ms', 'second true']);
  });

  it('stores a note instead of a configuration that is too long', () => {
    const tooLong = '#'.repeat(maxStoredConfigLength + 1);
    expect(new ConfigRedactor().redact(tooLong)).toBe(
      '# Not stored: this configuration has 1048577 characters, and at most 1048576 are stored.\n',
    );
  });
});
