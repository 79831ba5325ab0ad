import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../test/rounds.ts';
import {
  type Action,
  actions,
  allows,
  covers,
  explainInvalidGrant,
  foldGrants,
  type Grant,
  grants,
  intersectGrants,
  isGrant,
  maxGrants,
  presets,
  type Resource,
  resources,
  surplusGrants,
} from './permissions.ts';

describe('the grammar of permissions', () => {
  it('has every action with every resource, a wildcard on either side, and the lone wildcard', () => {
    const sides = [...actions, '*'].flatMap((action) => [...resources, '*'].map((one) => `${action}:${one}`));
    expect([...grants].sort()).toEqual(['*', ...sides].sort());
    expect(grants.filter((grant) => !isGrant(grant))).toEqual([]);
  });

  it('has the actions and resources of the contract', () => {
    expect(actions).toEqual(['create', 'read', 'update', 'delete']);
    expect(resources).toEqual([
      'project',
      'token',
      'own_token',
      'agent',
      'agent_error',
      'fleet',
      'core_instance',
      'webhook',
      'member',
      'audit_log',
    ]);
  });

  it('allows one token to hold every valid grant', () => {
    expect(maxGrants).toBe(64);
    expect(grants.length).toBeLessThanOrEqual(maxGrants);
  });

  it.each([
    '',
    ':',
    'create',
    'create:',
    ':agent',
    'creat:*',
    'CREATE:agent',
    'create:Agent',
    ' create:agent',
    'create:agent ',
    'create: agent',
    'create:agent:*',
    '**',
    '*:*:*',
    'create:agents',
    'write:agent',
    'create:agent,read:agent',
    'constructor',
    '__proto__',
  ])('refuses %o', (text) => {
    expect(isGrant(text)).toBe(false);
  });
});

describe('the refusal of a permission', () => {
  it.each([
    ['creat:*', 'create:*'],
    ['create.*', 'create:*'],
    ['create*', 'create:*'],
    ['create', 'create:*'],
    ['create:agents', 'create:agent'],
    ['create:agent-error', 'create:agent_error'],
    ['Read:Token', 'read:token'],
    [' read:token', 'read:token'],
    ['*:agents', '*:agent'],
    ['*.*', '*:*'],
    ['**', '*:*'],
  ])('reads %o as %o', (text, meant) => {
    expect(explainInvalidGrant(text)).toBe(`'${text}' is not a permission: did you mean '${meant}'?`);
  });

  it.each(['', 'x', '!', 'read:x', '*:x', 'admin', 'all', 'x:*', 'agent'])(
    'only says what to write for %o',
    (text) => {
      expect(explainInvalidGrant(text)).toBe(
        `'${text}' is not a permission: write action:resource, such as 'create:agent_error' or 'read:*'.`,
      );
    },
  );

  it('suggests only valid permissions, and a wildcard only if one was written or the text is empty', () => {
    const mistyped = fc
      .tuple(fc.constantFrom(...grants), fc.nat(20), fc.constantFrom('', 'x', 'e', ':', '*', 'ab'), fc.nat(2))
      .map(([grant, at, typed, lost]) => grant.slice(0, at) + typed + grant.slice(at + lost))
      .filter((text) => !isGrant(text));
    fc.assert(
      fc.property(mistyped, (text) => {
        const suggestion = /did you mean '(.*)'\?$/.exec(explainInvalidGrant(text))?.[1];
        if (suggestion === undefined) return;
        expect(isGrant(suggestion)).toBe(true);
        const [action = '', resource = ''] = text.split(':');
        const [suggestedAction, suggestedResource] = suggestion.split(':');
        if (suggestedAction === '*') expect(action === '' || action.includes('*')).toBe(true);
        if (suggestedResource === '*') expect(resource === '' || resource.includes('*')).toBe(true);
      }),
    );
  });
});

/**
 * The model: a grant is the set of (action, resource) pairs that it means, including one resource that does not exist
 * yet. Only a wildcard covers that one, which tells a wildcard apart from a list of all resources.
 */
const resourcesAndFuture = [...resources, 'a_resource_of_next_year'];

function meaning(list: readonly Grant[]): Set<string> {
  return new Set(list.flatMap(expand));
}

function isWithin(wanted: readonly Grant[], held: readonly Grant[]): boolean {
  const meant = meaning(held);
  return [...meaning(wanted)].every((one) => meant.has(one));
}

function expand(grant: Grant): string[] {
  const [action = '*', resource = '*'] = grant.split(':');
  return actions
    .filter((one) => action === '*' || action === one)
    .flatMap((one) =>
      resourcesAndFuture
        .filter((other) => resource === '*' || resource === other)
        .map((other) => `${one}:${other}`),
    );
}

const anyGrant = fc.constantFrom(...grants);
const anyGrants = fc.array(anyGrant, { maxLength: 12 });

/** Three or four actions on one resource: random grants seldom combine them. */
const actionsSideBySide = fc
  .tuple(fc.constantFrom(...resources, '*' as const), fc.subarray([...actions], { minLength: 3 }))
  .map(([resource, some]) => some.map((action): Grant => `${action}:${resource}`));

describe('the coverage of grants', () => {
  it('one grant covers another exactly if it allows at least as much', () => {
    for (const held of grants) {
      for (const wanted of grants) {
        expect(covers(held, wanted), `${held} over ${wanted}`).toBe(isWithin([wanted], [held]));
      }
    }
  });

  it('several grants allow exactly the union of their meanings', () => {
    fc.assert(
      fc.property(fc.oneof(anyGrants, actionsSideBySide), (held) => {
        for (const wanted of grants) {
          expect(allows(held, wanted), wanted).toBe(isWithin([wanted], held));
        }
      }),
      { numRuns: rounds(500) },
    );
  });

  it('a surplus is the part that is not allowed, in the given order', () => {
    fc.assert(
      fc.property(anyGrants, anyGrants, (held, wanted) => {
        const surplus = surplusGrants(held, wanted);
        expect(surplus).toEqual(wanted.filter((grant) => !isWithin([grant], held)));
        const granted = wanted.filter((grant) => !surplus.includes(grant));
        expect(isWithin(granted, held)).toBe(true);
      }),
    );
  });

  it('grants cannot grow by delegation, however often they are delegated', () => {
    fc.assert(
      fc.property(fc.array(anyGrants, { minLength: 2, maxLength: 5 }), (generations) => {
        const [first = [], ...later] = generations;
        let held: readonly Grant[] = first;
        for (const wanted of later) {
          held = wanted.filter((grant) => surplusGrants(held, [grant]).length === 0);
          expect(isWithin(held, first)).toBe(true);
        }
      }),
    );
  });

  it('all current resources together are less than the wildcard', () => {
    const all = resources.map((resource): Grant => `read:${resource}`);
    expect(allows(all, 'read:*')).toBe(false);
    expect(resources.every((resource) => allows(['read:*'], `read:${resource}`))).toBe(true);
  });

  it('the four actions together are equal to the wildcard action', () => {
    const all = actions.map((action): Grant => `${action}:token`);
    expect(allows(all, '*:token')).toBe(true);
    expect(allows(all.slice(1), '*:token')).toBe(false);
    expect(allows(presets.operator, '*')).toBe(true);
  });

  it('*:* and * are the same', () => {
    expect(covers('*', '*:*') && covers('*:*', '*')).toBe(true);
    expect(grants.every((grant) => covers('*', grant) && covers('*:*', grant))).toBe(true);
  });

  it('no grant allows nothing', () => {
    expect(grants.filter((grant) => allows([], grant))).toEqual([]);
    expect(surplusGrants([], ['read:token', '*'])).toEqual(['read:token', '*']);
  });
});

describe('intersectGrants', () => {
  it('allows exactly what both grants allow', () => {
    for (const one of grants) {
      for (const other of grants) {
        const common = meaning(intersectGrants([one], [other]));
        const expected = [...meaning([one])].filter((pair) => meaning([other]).has(pair));
        expect([...common].sort(), `${one} within ${other}`).toEqual(expected.sort());
      }
    }
  });

  it('keeps covered grants unchanged and in order, and has no duplicates', () => {
    const granted: Grant[] = ['read:fleet', 'create:*', 'read:*', 'read:fleet'];
    expect(intersectGrants(granted, ['*'])).toEqual(granted);
    expect(intersectGrants(granted, ['read:*', 'create:token', '*:token'])).toEqual([
      'create:token',
      'read:*',
    ]);
    expect(intersectGrants(granted, [])).toEqual([]);
  });
});

describe('foldGrants', () => {
  it('folds duplicates and keeps the order of first appearance', () => {
    expect(foldGrants(['read:token', '*', 'read:token', 'create:*', '*'])).toEqual([
      'read:token',
      '*',
      'create:*',
    ]);
  });

  it('does not change the meaning of the list', () => {
    fc.assert(
      fc.property(anyGrants, (list) => {
        expect(meaning(foldGrants(list))).toEqual(meaning(list));
        expect(foldGrants(foldGrants(list))).toEqual(foldGrants(list));
      }),
    );
  });
});

describe('the presets', () => {
  it('are those of the contract', () => {
    expect(presets).toEqual({
      agent: ['create:agent', 'create:agent_error', 'update:agent', 'read:fleet'],
      core_instance: ['create:core_instance'],
      viewer: ['read:*'],
      operator: ['create:*', 'read:*', 'update:*', 'delete:*'],
    });
  });

  it('viewer changes nothing', () => {
    const changing = (['create', 'update', 'delete'] satisfies Action[]).flatMap((action) =>
      resources.map((resource: Resource): Grant => `${action}:${resource}`),
    );
    expect(changing.filter((grant) => allows(presets.viewer, grant))).toEqual([]);
  });

  it('agent reads no token and dismisses no error', () => {
    expect(surplusGrants(presets.agent, ['read:token', 'update:agent_error', 'create:token'])).toEqual([
      'read:token',
      'update:agent_error',
      'create:token',
    ]);
  });
});
