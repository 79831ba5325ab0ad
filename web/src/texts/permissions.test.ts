import { grants } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { describeGrant } from '../permissions/describe-grant.ts';

describe('the texts of permissions', () => {
  it('say something of every grant that a token can have', () => {
    expect(grants.filter((grant) => !/^[A-Z].+\.$/.test(describeGrant(grant)))).toEqual([]);
    expect(describeGrant('*:token')).toBe('Everything about tokens, also what is added later.');
    expect(describeGrant('delete:agent_error')).toBe('Allows nothing yet.');
  });
});
