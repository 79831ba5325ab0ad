import type { Token } from '@muster/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../../../../test/rounds.ts';
import { type Answer, startTestApp, type TestApp } from '../../testing/start-test-app.ts';

/**
 * The meaning of a grant, written out as pairs of action and resource, including a resource that does not exist yet.
 */
const actions = ['create', 'read', 'update', 'delete'];
const resources = ['project', 'token', 'agent', 'agent_error', 'fleet', 'webhook', 'member', 'audit_log'];
const laterResource = 'added later';

function powersOf(grants: readonly string[]): Set<string> {
  const pairs = grants.flatMap((grant) => {
    const [action = '*', resource = '*'] = grant === '*' ? [] : grant.split(':');
    return (action === '*' ? actions : [action]).flatMap((one) =>
      (resource === '*' ? [...resources, laterResource] : [resource]).map((other) => `${one} ${other}`),
    );
  });
  return new Set(pairs);
}

function isWithin(powers: ReadonlySet<string>, limit: ReadonlySet<string>): boolean {
  return [...powers].every((pair) => limit.has(pair));
}

/** True if the first time is not later than the second; null means never. */
function endsBy(expiresAt: string | null, limit: string | null): boolean {
  return limit === null || (expiresAt !== null && Date.parse(expiresAt) <= Date.parse(limit));
}

const grant = fc.oneof(
  { weight: 1, arbitrary: fc.constant('*') },
  {
    weight: 12,
    arbitrary: fc
      .tuple(fc.constantFrom(...actions, '*'), fc.constantFrom(...resources, '*'))
      .map(([action, resource]) => `${action}:${resource}`),
  },
);
const grants = fc.array(grant, { maxLength: 5 });

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

interface Made {
  readonly id: string;
  readonly token: string;
}

async function issue(
  projectID: string,
  permissions: readonly string[],
  expiresAt: string | null,
): Promise<Token> {
  const { body } = await app.request<Token>('POST', `/v1/projects/${projectID}/tokens`, {
    as: { access: app.admin },
    body: { name: 'issued', permissions, expiresAt },
  });
  return body;
}

function create(projectID: string, maker: Made, body: object): Promise<Answer<Token>> {
  return app.request<Token>('POST', `/v1/projects/${projectID}/tokens`, {
    as: { project: maker.token },
    body: { name: 'made', ...body },
  });
}

function update(by: Made, target: Made, body: object): Promise<Answer<Token>> {
  return app.request<Token>('PATCH', `/v1/project_tokens/${target.id}`, { as: { project: by.token }, body });
}

/** Tokens that are valid now. */
async function listValid(projectID: string): Promise<Token[]> {
  const { body } = await app.request<Token[]>('GET', `/v1/projects/${projectID}/tokens?last=1000`, {
    as: { access: app.admin },
  });
  return body;
}

describe('a project token', () => {
  it('can grant exactly its own permissions when it creates a token', async () => {
    const { id: projectID } = await app.createProject();
    const outcomes = new Set<number>();
    await fc.assert(
      fc.asyncProperty(grants, grants, async (others, wanted) => {
        const held = ['create:token', ...others];
        const maker = await issue(projectID, held, null);
        const { status, body } = await create(projectID, maker, { permissions: wanted });
        outcomes.add(status);
        expect(status).toBe(isWithin(powersOf(wanted), powersOf(held)) ? 201 : 403);
        if (status === 201) expect(powersOf(body.permissions)).toEqual(powersOf(wanted));
      }),
      { numRuns: rounds(200) },
    );
    expect(outcomes).toEqual(new Set([201, 403]));
  });

  it('can add exactly its own permissions when it changes a token', async () => {
    const { id: projectID } = await app.createProject();
    const outcomes = new Set<number>();
    await fc.assert(
      fc.asyncProperty(grants, grants, grants, async (others, before, wanted) => {
        const held = ['update:token', ...others];
        const changer = await issue(projectID, held, null);
        const target = await issue(projectID, before, null);
        const { status } = await update(changer, target, { permissions: wanted });
        outcomes.add(status);
        const kept = powersOf(before);
        const added = wanted.filter((one) => !isWithin(powersOf([one]), kept));
        expect(status).toBe(isWithin(powersOf(added), powersOf(held)) ? 200 : 403);
      }),
      { numRuns: rounds(150) },
    );
    expect(outcomes).toEqual(new Set([200, 403]));
  });

  it('leaves no valid descendant when it ends, after any sequence of operations', async () => {
    const end = fc.constantFrom(undefined, null, 10, 60, 300);
    const step = fc.record({
      kind: fc.constantFrom('create', 'update', 'update', 'revoke'),
      by: fc.nat(),
      target: fc.nat(),
      permissions: fc.option(grants, { nil: undefined }),
      end,
      pauseSeconds: fc.constantFrom(0, 0, 0, 7),
    });
    const scenario = fc.record({
      others: grants,
      mineEnds: fc.constantFrom(null, 100),
      issued: fc.array(fc.record({ grants, end: fc.constantFrom(null, 30, 1_000) }), {
        minLength: 1,
        maxLength: 3,
      }),
      steps: fc.array(step, { minLength: 1, maxLength: 10 }),
      isRevoked: fc.boolean(),
    });
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(scenario, async ({ others, mineEnds, issued, steps, isRevoked }) => {
        const { id: projectID } = await app.createProject();
        const inSeconds = (seconds: number | null | undefined) =>
          typeof seconds === 'number' ? new Date(app.clock.now() + seconds * 1_000).toISOString() : seconds;
        for (const one of issued) await issue(projectID, one.grants, inSeconds(one.end) ?? null);
        const before = new Map((await listValid(projectID)).map((token) => [token.id, token]));
        const held = ['create:token', 'update:token', ...others];
        const mine = await issue(projectID, held, inSeconds(mineEnds) ?? null);
        const owned: Made[] = [mine];

        for (const { kind, by, target, permissions, end: ends, pauseSeconds } of steps) {
          app.clock.advance(pauseSeconds * 1_000);
          const actor = owned[by % owned.length] ?? mine;
          const all = await listValid(projectID);
          const victim = all[target % all.length] ?? mine;
          const change = { permissions, expiresAt: inSeconds(ends) };
          if (kind === 'revoke') {
            if (victim.id === mine.id) continue;
            await app.request('DELETE', `/v1/project_tokens/${victim.id}`, { as: { project: actor.token } });
          } else if (kind === 'create') {
            const { status, body } = await create(projectID, actor, {
              ...change,
              permissions: permissions ?? [],
            });
            if (status === 201) owned.push(body);
            accepted += status === 201 ? 1 : 0;
          } else {
            accepted += (await update(actor, victim, change)).status === 200 ? 1 : 0;
          }
          for (const token of await listValid(projectID)) {
            const first = before.get(token.id);
            const limit = powersOf([...held, ...(first?.permissions ?? [])]);
            expect(isWithin(powersOf(token.permissions), limit)).toBe(true);
            if (first === undefined) expect(endsBy(token.expiresAt, mine.expiresAt)).toBe(true);
          }
        }

        if (isRevoked || mineEnds === null) {
          await app.request('DELETE', `/v1/project_tokens/${mine.id}`, { as: { access: app.admin } });
        } else {
          app.clock.advance(mineEnds * 1_000);
        }
        for (const token of await listValid(projectID)) {
          const first = before.get(token.id);
          expect(first, 'a token that was made with the one that ended').toBeDefined();
          if (first === undefined) continue;
          expect(isWithin(powersOf(token.permissions), powersOf(first.permissions))).toBe(true);
          expect(endsBy(token.expiresAt, first.expiresAt)).toBe(true);
        }
      }),
      { numRuns: rounds(100) },
    );
    expect(accepted).toBeGreaterThan(5);
  });
});
