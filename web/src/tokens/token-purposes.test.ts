import { grantsOfRole } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { grantsOfPurpose, mayGrant, purposeOf, tokenPurposes } from './token-purposes.ts';

describe('the purposes of tokens', () => {
  it('are presets, or what was chosen', () => {
    expect(grantsOfPurpose('viewer', ['create:agent'])).toEqual(['read:*']);
    expect(grantsOfPurpose('custom', ['create:agent'])).toEqual(['create:agent']);
  });

  it('are offered as far as the user may grant them', () => {
    const offered = (role: 'owner' | 'operator' | 'viewer') =>
      tokenPurposes.filter((purpose) => mayGrant(grantsOfRole(role), purpose));
    expect(offered('owner')).toEqual(['agent', 'viewer', 'operator', 'custom']);
    expect(offered('operator')).toEqual(['agent', 'viewer', 'custom']);
    expect(offered('viewer')).toEqual(['viewer', 'custom']);
  });

  it('are recognized from the permissions of a token, in any order', () => {
    expect(purposeOf(['read:fleet', 'create:agent', 'update:agent', 'create:agent_error'])).toBe('agent');
    expect(purposeOf(['read:*'])).toBe('viewer');
    expect(purposeOf(['create:agent'])).toBe('custom');
  });
});
