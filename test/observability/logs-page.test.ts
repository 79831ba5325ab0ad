import { describe, expect, it } from 'vitest';
import { readSource } from '../architecture/source-files.ts';
import { readLogMessages } from './read-log-messages.ts';

/** The rows of the table of lines in docs/logs.md. */
function readDocumented(): string[] {
  return readSource('docs/logs.md')
    .split('\n')
    .map((line) => /^\| `(\w+)` \| `(.+?)` \|/.exec(line))
    .flatMap((found) => (found === null ? [] : [`${found[1]} ${found[2]}`]));
}

describe('docs/logs.md', () => {
  it('describes every line that the service can log, and no other', () => {
    const logged = new Set(readLogMessages().map(({ level, text }) => `${level} ${text}`));
    expect(logged.size).toBeGreaterThan(20);
    expect(readDocumented().sort()).toEqual([...logged].sort());
  });
});
