import { describe, expect, it } from 'vitest';
import { describeRule } from './describe-rule.ts';
import { newRule, ruleBody } from './rule-input.ts';

const nothing = { agents: null, share: null, windowSeconds: null, days: null };

describe('a rule', () => {
  it('is sent with the fields of its kind alone', () => {
    const others = { channelIDs: null, cooldownSeconds: 3_600 };
    expect(ruleBody(newRule)).toEqual({ kind: 'new_group', ...others });
    expect(
      ruleBody({ ...newRule, kind: 'widespread_group', agents: 5, percent: '', name: ' wide ' }),
    ).toEqual({
      kind: 'widespread_group',
      name: 'wide',
      agents: 5,
      share: null,
      windowSeconds: 3_600,
      ...others,
    });
    expect(ruleBody({ ...newRule, kind: 'token_expiring', days: 14, channelIDs: ['one'] })).toEqual({
      kind: 'token_expiring',
      days: 14,
      channelIDs: ['one'],
      cooldownSeconds: 3_600,
    });
    expect(ruleBody({ ...newRule, kind: 'member_added' })).toEqual({
      kind: 'member_added',
      channelIDs: null,
    });
  });

  it('is not sent while something is missing', () => {
    expect(ruleBody({ ...newRule, kind: 'agents_offline', percent: '' })).toBeUndefined();
    expect(ruleBody({ ...newRule, kind: 'widespread_group', windowMinutes: '' })).toBeUndefined();
    expect(ruleBody({ ...newRule, kind: 'token_expiring', days: '' })).toBeUndefined();
  });

  it('is described in a sentence', () => {
    const wide = {
      ...nothing,
      kind: 'widespread_group',
      agents: 10,
      share: 0.07,
      windowSeconds: 1_800,
    } as const;
    expect(describeRule(wide)).toBe(
      'When a cause appears on at least 10 agents or at least 7% of the agents within 30 minutes.',
    );
    expect(describeRule({ ...nothing, kind: 'agents_offline', agents: 1 })).toBe(
      'When agents are offline: at least 1 agent.',
    );
    expect(describeRule({ ...nothing, kind: 'token_expiring', days: 1 })).toBe(
      'A day before a token expires.',
    );
    expect(describeRule({ ...nothing, kind: 'regression' })).toMatch(/^When a cause has an error again/);
  });
});
