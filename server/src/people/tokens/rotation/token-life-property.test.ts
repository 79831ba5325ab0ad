import { type ProblemCode, problems, type Token } from '@muster/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds, takesAllRounds } from '../../../../../test/rounds.ts';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { type Replicas, startReplicas } from '../../../testing/start-replicas.ts';
import { testEngine } from '../../../testing/test-database.ts';

/** A run takes several times as long on PostgreSQL, where what is broken on one replica is found in the first runs. */
const runs = rounds(testEngine === 'sqlite' ? 120 : 30);

/** A value of a token, and when it ends. */
interface Value {
  readonly text: string;
  readonly number: number;
  endsAt: number;
  retiresOnUse: boolean;
}

/** The expected state of a token. */
interface Model {
  readonly id: string;
  readonly parent: Model | undefined;
  readonly values: Value[];
  expiresAt: number;
  isRevoked: boolean;
  mayRead: boolean;
}

const maxEarlierValues = 10;
/** A token loses only the permission to read its project. */
const narrowed =
  "This needs the permission 'read:project', and this credential has only 'create:token', 'update:own_token'. Use a token that has it, or add it to this one.";
const never = Number.POSITIVE_INFINITY;

const step = fc.record({
  kind: fc.constantFrom(
    ...([
      'create',
      'create',
      'rotate',
      'rotate',
      'rotate',
      'rotate self',
      'narrow',
      'expire',
      'revoke',
    ] as const),
    ...(['use', 'use', 'use', 'wait', 'wait'] as const),
  ),
  target: fc.nat(),
  value: fc.nat(),
  seconds: fc.integer({ min: 0, max: 90 }),
  retireOnUse: fc.boolean(),
  hasGrace: fc.boolean(),
});

describe('the life of project tokens', () => {
  let replicas: Replicas;

  beforeAll(async () => {
    replicas = await startReplicas({ logLevel: 'info' });
  });
  afterAll(() => replicas.close());

  /** The code with which a value must be refused now; undefined: it must be accepted. */
  function refusalOf(model: Model, value: Value): ProblemCode | undefined {
    return endOf(model, value) ?? (mayRead(model) ? undefined : 'permission_denied');
  }

  /** The same for a request that needs a permission that no token loses. */
  function endOf(model: Model, value: Value): ProblemCode | undefined {
    const now = replicas.clock.now();
    if (model.isRevoked) return 'revoked_credential';
    // A value that ended stays so, whatever becomes of the token.
    if (value.endsAt <= now) return 'rotated_credential';
    return model.expiresAt <= now ? 'expired_credential' : undefined;
  }

  /** @param own of a token that rotates itself */
  function refusalOfRotation(
    model: Model,
    own: Value | undefined,
    keepsEarlier: boolean,
  ): ProblemCode | undefined {
    const now = replicas.clock.now();
    if (own !== undefined) {
      const end = endOf(model, own);
      if (end !== undefined) return end;
      noteUse(model, own);
      if (own.endsAt !== never) return 'expiry_exceeds_own';
    } else if (model.isRevoked) return 'token_revoked';
    else if (model.expiresAt <= now) return 'token_expired';
    const earlier = model.values.slice(0, -1).filter(({ endsAt }) => endsAt > now);
    return keepsEarlier && earlier.length >= maxEarlierValues ? 'too_many_valid_values' : undefined;
  }

  function mayRead(model: Model): boolean {
    return model.mayRead && (model.parent === undefined || mayRead(model.parent));
  }

  /** The value was used: earlier ones that waited for that have ended. */
  function noteUse(model: Model, used: Value): void {
    const now = replicas.clock.now();
    if (model.isRevoked || used.endsAt <= now || model.expiresAt <= now) return;
    for (const value of model.values) {
      if (value.number < used.number && value.retiresOnUse) value.endsAt = Math.min(value.endsAt, now);
    }
  }

  function noteRotation(
    model: Model,
    text: string,
    { grace, retires }: { grace?: number; retires: boolean },
  ) {
    const now = replicas.clock.now();
    const limit = grace === undefined ? (retires ? never : now) : now + grace * 1_000;
    for (const value of model.values) {
      if (value.endsAt <= now) continue;
      value.endsAt = Math.min(value.endsAt, limit);
      value.retiresOnUse ||= retires;
    }
    model.values.push({ text, number: model.values.length, endsAt: never, retiresOnUse: false });
  }

  it('never lets a value be used after its end, and no other be refused, on any replica', async () => {
    const outcomes = new Map<string, number>();
    const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const admin = { access: replicas.admin };
    const property = fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24 }), async (steps) => {
      const project = await replicas.one.request<{ id: string }>('POST', '/v1/projects', {
        as: admin,
        body: { name: 'lives' },
      });
      const projectID = project.body.id;
      const { body: shown } = await replicas.one.request('GET', `/v1/projects/${projectID}`, { as: admin });
      const models: Model[] = [];

      const check = async (model: Model, value: Value, turn: number) => {
        const app = turn % 2 === 0 ? replicas.one : replicas.other;
        const { status, body } = await app.request('GET', `/v1/projects/${projectID}`, {
          as: { project: value.text },
        });
        const expected = refusalOf(model, value);
        noteUse(model, value);
        count(expected ?? 'accepted');
        const refusal = expected === 'permission_denied' ? problemBody(expected, narrowed) : undefined;
        expect([status, body]).toEqual(
          expected === undefined
            ? [200, shown]
            : [expected === 'permission_denied' ? 403 : 401, refusal ?? problemBody(expected)],
        );
      };

      for (const [turn, drawn] of steps.entries()) {
        const { kind, seconds, retireOnUse: retires, hasGrace } = drawn;
        const app = turn % 2 === 0 ? replicas.other : replicas.one;
        const model = models[drawn.target % models.length];
        const value = model?.values[drawn.value % model.values.length];
        if (kind === 'wait') {
          replicas.clock.advance(seconds * 1_000);
        } else if (kind === 'create' || model === undefined || value === undefined) {
          const canMake = model !== undefined && value !== undefined && refusalOf(model, value) === undefined;
          const { status, body } = await app.request<Token>('POST', `/v1/projects/${projectID}/tokens`, {
            as: canMake ? { project: value.text } : admin,
            body: { name: 'made', permissions: ['read:project', 'create:token', 'update:own_token'] },
          });
          if (canMake) noteUse(model, value);
          // Narrowed tokens may not hand on what they have lost.
          if (status === 201) {
            models.push({
              id: body.id,
              parent: canMake ? model : undefined,
              values: [{ text: body.token, number: 0, endsAt: never, retiresOnUse: false }],
              expiresAt: canMake ? model.expiresAt : never,
              isRevoked: false,
              mayRead: true,
            });
          }
        } else if (kind === 'use') {
          await check(model, value, turn);
        } else if (kind === 'rotate' || kind === 'rotate self') {
          const isSelf = kind === 'rotate self';
          const path = isSelf ? 'self' : model.id;
          const body = {
            ...(hasGrace ? { graceSeconds: seconds } : {}),
            ...(isSelf || retires ? { retireOnUse: true } : {}),
          };
          const expected = refusalOfRotation(
            model,
            isSelf ? value : undefined,
            hasGrace || isSelf || retires,
          );
          const answer = await app.request<Token>('POST', `/v1/project_tokens/${path}/rotate`, {
            as: isSelf ? { project: value.text } : admin,
            body,
            headers: { 'idempotency-key': `the-key-of-turn-${turn}` },
          });
          if (isSelf) noteUse(model, value);
          if (expected !== undefined) {
            // Its holder would get a value that lasts longer.
            const detail = expected === 'expiry_exceeds_own' ? expect.any(String) : undefined;
            expect(answer.body).toEqual(problemBody(expected, detail));
          }
          expect(answer.status).toBe(expected === undefined ? 200 : problems[expected].status);
          count(`${kind} ${expected ?? 'done'}`);
          if (answer.status === 200) {
            noteRotation(model, answer.body.token, {
              ...(hasGrace ? { grace: seconds } : {}),
              retires: isSelf || retires,
            });
            count(kind);
            // A lost answer, repeated on the other replica before anything else happens.
            const again = await replicas.one.request<Token>('POST', `/v1/project_tokens/${path}/rotate`, {
              as: isSelf ? { project: value.text } : admin,
              body,
              headers: { 'idempotency-key': `the-key-of-turn-${turn}` },
            });
            if (again.status === 200) expect(again.body.token).toBe(answer.body.token);
            else expect([isSelf, again.status]).toEqual([true, 401]);
          }
        } else if (kind === 'narrow') {
          const { status } = await app.request('PATCH', `/v1/project_tokens/${model.id}`, {
            as: admin,
            body: { permissions: ['create:token', 'update:own_token'] },
          });
          if (status === 200) model.mayRead = false;
        } else if (kind === 'expire') {
          const expiresAt = replicas.clock.now() + (seconds + 1) * 1_000;
          const { status } = await app.request('PATCH', `/v1/project_tokens/${model.id}`, {
            as: admin,
            body: { expiresAt: new Date(expiresAt).toISOString() },
          });
          if (status === 200) {
            for (const one of models) {
              if (one === model) one.expiresAt = expiresAt;
              else if (descends(one, model)) one.expiresAt = Math.min(one.expiresAt, expiresAt);
            }
          }
        } else {
          await app.request('DELETE', `/v1/project_tokens/${model.id}`, { as: admin });
          for (const one of models) if (one === model || descends(one, model)) one.isRevoked = true;
        }
      }
      // Newest values last, because their use ends others.
      for (const model of models) {
        for (const value of model.values) for (const turn of [0, 1]) await check(model, value, turn);
      }
    });
    await fc.assert(property, { numRuns: runs, endOnFailure: true });
    // Some are rare.
    if (!takesAllRounds || testEngine !== 'sqlite') return;
    for (const outcome of [
      ...['accepted', 'revoked_credential', 'rotated_credential', 'expired_credential', 'permission_denied'],
      ...['rotate', 'rotate self'],
    ]) {
      expect(outcomes.get(outcome) ?? 0, outcome).toBeGreaterThan(0);
    }
  });
});

function descends(one: Model, from: Model): boolean {
  return one.parent !== undefined && (one.parent === from || descends(one.parent, from));
}
