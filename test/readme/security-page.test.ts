import { randomBytes } from 'node:crypto';
import { formatProjectToken, formatToken } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { readSource } from '../architecture/source-files.ts';

const page = readSource('SECURITY.md');
const [, patterns = ''] = /^## For secret scanners$[\s\S]*?^```text\n([\s\S]*?)^```$/m.exec(page) ?? [];
const scanners = patterns
  .trim()
  .split('\n')
  .map((pattern) => new RegExp(pattern, 'g'));

function findIn(text: string): string[] {
  return scanners.flatMap((scanner) => text.match(scanner) ?? []);
}

describe('the patterns for secret scanners', () => {
  const ids = {
    projectID: '0192f0a0-0000-7000-8000-000000000001',
    tokenID: '0192f0a0-0000-7000-8000-000000000002',
  };

  it('find each kind of token as a whole, in the middle of a file', () => {
    for (let round = 0; round < 100; round += 1) {
      const tokens = [
        formatToken('access', randomBytes(32)),
        formatToken('agent', randomBytes(32)),
        formatProjectToken(ids, randomBytes(32)),
      ];
      for (const token of tokens) expect(findIn(`{"key": "${token}", "other": "value"}`)).toEqual([token]);
    }
  });

  it('find nothing in a masked token, nor in a digest', () => {
    expect(findIn(`mst_p_…wXyZ mst_u_…1234 ${randomBytes(32).toString('hex')}`)).toEqual([]);
  });
});
