import { describe, expect, it } from 'vitest';
import { choosePublication } from './choose-publication.ts';

const dated = (versionID: string, seconds: number) => ({ versionID, seconds });

/** The first version is served to everybody; rollouts of the second and the third one went back to it, and the fourth one is rolled out. */
const current = dated('one', 10);
const rollout = { to: dated('four', 60), back: undefined, before: dated('one', 50) };

describe('what an agent gets that is in no open stage, when rollouts before have gone back', () => {
  it.each<[what: string, has: ReturnType<typeof dated> | undefined, expected: number]>([
    ['what it has, if that is served to everybody', current, 10],
    ['what is served to everybody, if nothing is known of what it has', undefined, 10],
    ['the later date, if it has the version of the first of them', dated('two', 20), 50],
    ['the later date, if it has the version of the second of them', dated('three', 40), 50],
    ['the later date, if it has that', dated('one', 50), 50],
    ['nothing to load, if it went back with the first of them', dated('one', 30), 10],
    ['what it has, if that is the new version', dated('four', 60), 60],
  ])('%s', (_, has, expected) => {
    const chosen = choosePublication(rollout, { has, current, isDue: () => false });
    expect(chosen.seconds).toBe(expected);
  });

  it('goes on with the version of one that was told to leave it to its agents', () => {
    const held = { ...rollout, before: current };
    const asking = { has: dated('two', 20), current, isDue: () => false };
    expect(choosePublication(held, asking)).toBe(current);
  });

  it('gets the new version as soon as its stage is open', () => {
    const asking = { has: dated('two', 20), current, isDue: () => true };
    expect(choosePublication(rollout, asking)).toBe(rollout.to);
  });
});
