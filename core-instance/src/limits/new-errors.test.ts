import { describe, expect, it } from 'vitest';
import { NewErrors } from './new-errors.ts';

const limits = { newPerAgentPerMinute: 40, newPerProjectPerSecond: 0 };

describe('new errors at a site', () => {
  it('count once within a minute, up to the limit of their agent, whatever of it is heard meanwhile', () => {
    const errors = new NewErrors();
    const take = (text: string, now: number, agent = 'a') => errors.take(agent, text, limits, now);
    const words = Array.from({ length: 41 }, (_, index) => String.fromCodePoint(0x4e00 + index).repeat(3));
    for (const [index, word] of words.slice(0, 40).entries()) expect(take(word, index)).toBeUndefined();
    expect(take('more', 100)).toBe('newPerAgentPerMinute');
    expect(take(words[7] ?? '', 100)).toBeUndefined();
    expect(take('more', 100, 'b')).toBeUndefined();
    expect(take('more', 59_999)).toBe('newPerAgentPerMinute');
    expect(take('more', 60_000)).toBeUndefined();
    expect(take('even more', 60_000)).toBe('newPerAgentPerMinute');
  });

  it('of one cause are at most a quarter, and leave the others their room', () => {
    const errors = new NewErrors();
    const take = (text: string) => errors.take('a', text, limits, 0);
    for (let index = 0; index < 10; index += 1) expect(take(`no answer within ${index} ms`)).toBeUndefined();
    expect(take('no answer within 10 ms')).toBe('newOfCausePerMinute');
    expect(take('disk full')).toBeUndefined();
  });

  it('of all agents are limited by second', () => {
    const errors = new NewErrors();
    const ofProject = { newPerAgentPerMinute: 0, newPerProjectPerSecond: 2 };
    const take = (agent: string, now: number) => errors.take(agent, 'x', ofProject, now);
    expect(['a', 'b', 'c'].map((agent) => take(agent, 0))).toEqual([
      undefined,
      undefined,
      'newPerProjectPerSecond',
    ]);
    expect(take('c', 999)).toBe('newPerProjectPerSecond');
    expect(take('c', 1_000)).toBeUndefined();
  });

  it('take bounded memory with a hundred thousand agents, and none when they are old', () => {
    const errors = new NewErrors();
    const text = 'x'.repeat(1_000);
    for (let agent = 0; agent < 100_000; agent += 1) errors.take(`agent ${agent}`, text, limits, agent / 10);
    expect(errors.bytes).toBeLessThanOrEqual(8 * 1024 * 1024);
    expect(errors.bytes).toBeGreaterThan(7 * 1024 * 1024);
    for (let step = 0; step < 10_000; step += 1) errors.take('last', text, limits, 120_000);
    expect(errors.bytes).toBe(160 + 1_000);
  });
});
