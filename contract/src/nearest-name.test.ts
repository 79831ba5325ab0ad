import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestName } from './nearest-name.ts';

const parameters = ['last', 'before', 'name', 'status', 'agent_id', 'q', 'tag'];

describe('nearestName', () => {
  it.each([
    ['lsat', 'last'],
    ['lasts', 'last'],
    ['befor', 'before'],
    ['agentid', 'agent_id'],
    ['agent-id', 'agent_id'],
    ['tags', 'tag'],
  ])('reads %o as %o', (typed, meant) => {
    expect(nearestName(typed, parameters)).toBe(meant);
  });

  it('ignores case', () => {
    expect(nearestName('LAST', parameters)).toBe('last');
    expect(nearestName('MachineId', ['name', 'machineID'])).toBe('machineID');
    expect(nearestName('EXPIRES_AT', ['name', 'expiresAt'])).toBe('expiresAt');
  });

  it('prefers the nearest name, and the first of equally near ones', () => {
    expect(nearestName('names', ['nam', 'name'])).toBe('name');
    expect(nearestName('nome', ['home', 'name'])).toBe('home');
  });

  it.each(['limit', 'cursor', 'x', '', '*', 'zz'])('suggests nothing for %o', (typed) => {
    expect(nearestName(typed, parameters)).toBeUndefined();
  });

  it('never suggests a name of one letter', () => {
    expect(nearestName('p', ['q', '*'])).toBeUndefined();
    expect(nearestName('Q', ['q', '*'])).toBe('q');
  });

  it('suggests nothing if there are no known names', () => {
    expect(nearestName('last', [])).toBeUndefined();
  });

  it('returns a known name unchanged, and never returns an unknown one', () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(names, fc.string({ maxLength: 16 }), fc.nat(), (known, typed, index) => {
        const one = known[index % known.length] ?? '';
        expect(nearestName(one, known)?.toLowerCase()).toBe(one.toLowerCase());
        expect([...known, undefined]).toContain(nearestName(typed, known));
      }),
    );
  });
});
