import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { KnownRepeats } from './known-repeats-postgres.ts';

const agentID = (number: number) => `0192f0a0-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
const digest = hash('sha256', 'disk full');

describe('known repeats', () => {
  it('are of one agent and text', () => {
    const repeats = new KnownRepeats();
    repeats.note(agentID(1), digest);
    expect(repeats.has(agentID(1), digest)).toBe(true);
    expect(repeats.has(agentID(2), digest)).toBe(false);
    expect(repeats.has(agentID(1), hash('sha256', 'disk empty'))).toBe(false);
  });

  it('are forgotten when another one takes their slot, so that their number has a limit', () => {
    const repeats = new KnownRepeats();
    repeats.note(agentID(0), digest);
    let other = 0;
    while (repeats.has(agentID(0), digest) && other < 10_000_000) {
      other += 1;
      repeats.note(agentID(other), digest);
    }
    expect(repeats.has(agentID(0), digest)).toBe(false);
    expect(repeats.has(agentID(other), digest)).toBe(true);
  });
});
