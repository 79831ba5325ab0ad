import { describe, expect, it } from 'vitest';
import { thingsTold } from './things-told.ts';

describe('what a channel is told of', () => {
  it('is what the rules tell that are on, and name it or all channels', () => {
    const rules = [
      { kind: 'member_added', enabled: true, channelIDs: null },
      { kind: 'new_group', enabled: true, channelIDs: ['other', 'one'] },
      { kind: 'new_group', enabled: true, channelIDs: ['one'] },
      { kind: 'regression', enabled: false, channelIDs: ['one'] },
      { kind: 'agents_offline', enabled: true, channelIDs: ['other'] },
    ] as const;
    const read = rules.map((rule) => ({ ...rule, channelIDs: rule.channelIDs && [...rule.channelIDs] }));
    expect(thingsTold('one', read)).toEqual(['new_group', 'member_added']);
    expect(thingsTold('one', read.slice(3))).toEqual([]);
  });
});
