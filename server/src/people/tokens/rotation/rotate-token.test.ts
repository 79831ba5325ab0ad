import { isWellFormedToken, readProjectToken, type Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { type Replicas, startReplicas } from '../../../testing/start-replicas.ts';
import type { TestApp } from '../../../testing/start-test-app.ts';

let replicas: Replicas;
let projectID: string;

beforeAll(async () => {
  // At the log level of a real service, so that reports take the same path as there.
  replicas = await startReplicas({ logLevel: 'info' });
  const { body } = await replicas.one.request<{ id: string }>('POST', '/v1/projects', {
    as: { access: replicas.admin },
    body: { name: 'edge' },
  });
  projectID = body.id;
});

afterAll(() => replicas.close());

interface Made {
  readonly id: string;
  readonly token: string;
}

async function issue(permissions: readonly string[] = ['read:project'], more: object = {}): Promise<Made> {
  const { body } = await replicas.one.request<Token>('POST', `/v1/projects/${projectID}/tokens`, {
    as: { access: replicas.admin },
    body: { name: 'ci', permissions, ...more },
  });
  return body;
}

function rotate({ id }: Made, body: object, options: { key?: string; as?: object; on?: TestApp } = {}) {
  return (options.on ?? replicas.one).request<Token>('POST', `/v1/project_tokens/${id}/rotate`, {
    as: options.as ?? { access: replicas.admin },
    body,
    ...(options.key === undefined ? {} : { headers: { 'idempotency-key': options.key } }),
  });
}

function rotateSelf(token: string, body: object, key?: string) {
  return replicas.one.request<Token>('POST', '/v1/project_tokens/self/rotate', {
    as: { project: token },
    body,
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  });
}

/** The code of the refusal of a value on each replica; undefined: it is accepted. */
async function codesOf(token: string): Promise<(string | undefined)[]> {
  const answers = await Promise.all(
    [replicas.one, replicas.other].map((app) =>
      app.request<{ code?: string }>('GET', `/v1/projects/${projectID}`, { as: { project: token } }),
    ),
  );
  return answers.map(({ status, body }) => (status === 200 ? undefined : body.code));
}

const accepted = [undefined, undefined];
const rotated = ['rotated_credential', 'rotated_credential'];

async function shown({ id }: Made): Promise<Token> {
  const { body } = await replicas.other.request<Token>('GET', `/v1/project_tokens/${id}`, {
    as: { access: replicas.admin },
  });
  return body;
}

const now = () => new Date(replicas.clock.now()).toISOString();
const inSeconds = (seconds: number) => new Date(replicas.clock.now() + seconds * 1_000).toISOString();

describe('POST /v1/project_tokens/{tokenID}/rotate', () => {
  describe('200', () => {
    it('returns the token with a new value, and everything else as it was', async () => {
      const made = await issue(['read:project'], { expiresAt: inSeconds(90 * 86_400) });
      const before = await shown(made);
      const { status, body } = await rotate(made, {});
      expect(status).toBe(200);
      expect(body).toEqual({ ...before, token: expect.any(String), rotatedAt: now() });
      expect(isWellFormedToken('project', body.token)).toBe(true);
      expect(readProjectToken(body.token)).toEqual({ projectID, tokenID: made.id });
      expect(await shown(made)).toEqual({ ...body, token: `mst_p_…${body.token.slice(-4)}` });
    });

    it('ends the earlier value with the answer, on every replica', async () => {
      const made = await issue();
      expect(await codesOf(made.token)).toEqual(accepted);
      const { body } = await rotate(made, {});
      expect(await codesOf(made.token)).toEqual(rotated);
      expect(await codesOf(body.token)).toEqual(accepted);
    });

    it('says to the holder of the earlier value that the token was rotated', async () => {
      const made = await issue();
      await rotate(made, {});
      const answer = await replicas.one.request('GET', '/v1/me', { as: { project: made.token } });
      expect([answer.status, answer.body]).toEqual([401, problemBody('rotated_credential')]);
    });

    it('accepts both values for the grace, to the millisecond, and shows its end', async () => {
      const made = await issue();
      const { body } = await rotate(made, { graceSeconds: 60 });
      expect(body).toMatchObject({
        status: 'expiring',
        earlierValues: [
          {
            token: `mst_p_…${made.token.slice(-4)}`,
            endsAt: inSeconds(60),
            retiresOnUse: false,
            lastUsedAt: null,
          },
        ],
      });
      expect([await codesOf(made.token), await codesOf(body.token)]).toEqual([accepted, accepted]);
      replicas.clock.advance(59_999);
      expect([await codesOf(made.token), await codesOf(body.token)]).toEqual([accepted, accepted]);
      expect((await shown(made)).earlierValues).toMatchObject([{ lastUsedAt: now() }]);
      replicas.clock.advance(1);
      expect([await codesOf(made.token), await codesOf(body.token)]).toEqual([rotated, accepted]);
      expect(await shown(made)).toMatchObject({ status: 'active', earlierValues: [] });
    });

    it('with retireOnUse accepts the earlier value until the new one is used on any replica', async () => {
      const made = await issue();
      expect(await codesOf(made.token)).toEqual(accepted);
      const { body } = await rotate(made, { retireOnUse: true });
      expect(body).toMatchObject({ status: 'active', earlierValues: [{ endsAt: null, retiresOnUse: true }] });
      replicas.clock.advance(30 * 86_400_000);
      expect(await codesOf(made.token)).toEqual(accepted);
      const used = await replicas.other.request('GET', '/v1/me', { as: { project: body.token } });
      expect(used.status).toBe(200);
      expect(await codesOf(made.token)).toEqual(rotated);
      expect(await codesOf(body.token)).toEqual(accepted);
    });

    it('with both ends the earlier value at the first of the two', async () => {
      const [one, other] = [await issue(), await issue()];
      const { body } = await rotate(one, { graceSeconds: 60, retireOnUse: true });
      await rotate(other, { graceSeconds: 60, retireOnUse: true });
      expect(await codesOf(body.token)).toEqual(accepted);
      expect([await codesOf(one.token), await codesOf(other.token)]).toEqual([rotated, accepted]);
      replicas.clock.advance(60_000);
      expect(await codesOf(other.token)).toEqual(rotated);
    });

    it('never accepts an earlier value for longer because of a further rotation', async () => {
      const made = await issue();
      const { body: second } = await rotate(made, { graceSeconds: 60 });
      const { body: third } = await rotate(made, { graceSeconds: 3_600 });
      expect(third.earlierValues.map(({ endsAt }) => endsAt)).toEqual([inSeconds(3_600), inSeconds(60)]);
      replicas.clock.advance(60_000);
      expect([await codesOf(made.token), await codesOf(second.token)]).toEqual([rotated, accepted]);
      await rotate(made, {});
      expect([await codesOf(second.token), await codesOf(third.token)]).toEqual([rotated, rotated]);
    });

    it('with retireOnUse survives lost answers, until a value is used that did arrive', async () => {
      const made = await issue();
      const { body: lost } = await rotate(made, { retireOnUse: true });
      const { body: arrived } = await rotate(made, { retireOnUse: true });
      expect(await codesOf(made.token)).toEqual(accepted);
      expect(await codesOf(arrived.token)).toEqual(accepted);
      expect([await codesOf(made.token), await codesOf(lost.token)]).toEqual([rotated, rotated]);
    });

    it('keeps the expiry: an earlier value in its grace expires with the token', async () => {
      const made = await issue(['read:project'], { expiresAt: inSeconds(30) });
      const { body } = await rotate(made, { graceSeconds: 600 });
      expect(body.expiresAt).toBe(inSeconds(30));
      replicas.clock.advance(30_000);
      const expired = ['expired_credential', 'expired_credential'];
      expect([await codesOf(made.token), await codesOf(body.token)]).toEqual([expired, expired]);
    });

    it('revocation ends all values', async () => {
      const made = await issue();
      const { body } = await rotate(made, { graceSeconds: 600 });
      await replicas.other.request('DELETE', `/v1/project_tokens/${made.id}`, {
        as: { access: replicas.admin },
      });
      const revoked = ['revoked_credential', 'revoked_credential'];
      expect([await codesOf(made.token), await codesOf(body.token)]).toEqual([revoked, revoked]);
    });

    it('applies to reports that take the shortcut with a remembered value', async () => {
      const reporter = await issue(['create:agent', 'create:agent_error']);
      const { id } = await replicas.one.registerAgent({ id: projectID, token: reporter.token });
      const report = async (app: TestApp, token: string) =>
        (
          await app.request('POST', `/v1/agents/${id}/errors`, {
            as: { project: token },
            body: { error: 'disk full' },
          })
        ).status;
      const everywhere = async (token: string) =>
        Promise.all([report(replicas.one, token), report(replicas.other, token)]);
      expect(await everywhere(reporter.token)).toEqual([201, 201]);
      const { body: second } = await rotate(reporter, { retireOnUse: true });
      expect(await everywhere(reporter.token)).toEqual([201, 201]);
      expect(await report(replicas.other, second.token)).toBe(201);
      expect(await everywhere(reporter.token)).toEqual([401, 401]);
      const { body: third } = await rotate(reporter, { graceSeconds: 10 });
      expect([await everywhere(second.token), await everywhere(third.token)]).toEqual([
        [201, 201],
        [201, 201],
      ]);
      replicas.clock.advance(10_000);
      expect([await everywhere(second.token), await everywhere(third.token)]).toEqual([
        [401, 401],
        [201, 201],
      ]);
    });
  });

  describe('by a project token', () => {
    it('makes the token depend on it, because it gets the value', async () => {
      const rotator = await issue(['update:token', 'read:project']);
      const made = await issue(['read:project']);
      const { status, body } = await rotate(made, {}, { as: { project: rotator.token } });
      expect(status).toBe(200);
      expect(await codesOf(body.token)).toEqual(accepted);
      await replicas.one.request('DELETE', `/v1/project_tokens/${rotator.id}`, {
        as: { access: replicas.admin },
      });
      expect(await codesOf(body.token)).toEqual(['revoked_credential', 'revoked_credential']);
    });

    it('is refused with 403 if it has fewer permissions or expires earlier', async () => {
      const weak = await issue(['update:token']);
      const brief = await issue(['update:token', 'read:project'], { expiresAt: inSeconds(60) });
      const made = await issue(['read:project']);
      const answers = [
        await rotate(made, {}, { as: { project: weak.token } }),
        await rotate(made, {}, { as: { project: brief.token } }),
      ];
      expect(answers).toMatchObject([
        { status: 403, body: { code: 'permissions_exceed_own' } },
        { status: 403, body: { code: 'expiry_exceeds_own' } },
      ]);
      expect(await codesOf(made.token)).toEqual(accepted);
    });

    it('never rotates a token that it descends from', async () => {
      const parent = await issue(['create:token', 'update:token', 'read:project']);
      const { body: child } = await replicas.one.request<Token>('POST', `/v1/projects/${projectID}/tokens`, {
        as: { project: parent.token },
        body: { name: 'child', permissions: ['create:token', 'update:token', 'read:project'] },
      });
      expect((await rotate(parent, {}, { as: { project: child.token } })).status).toBe(403);
      expect((await rotate(child, {}, { as: { project: parent.token } })).status).toBe(200);
    });
  });

  describe('409', () => {
    it.each([
      [
        'token_revoked',
        async (made: Made) =>
          void (await replicas.one.request('DELETE', `/v1/project_tokens/${made.id}`, {
            as: { access: replicas.admin },
          })),
      ],
      ['token_expired', async () => void replicas.clock.advance(3_600_000)],
    ] as const)('%s', async (code, end) => {
      const made = await issue(['read:project'], { expiresAt: inSeconds(3_600) });
      await end(made);
      const answer = await rotate(made, {});
      expect([answer.status, answer.body]).toEqual([409, problemBody(code)]);
    });

    it('too_many_valid_values, unless the rotation ends them', async () => {
      const made = await issue();
      for (let count = 0; count < 10; count += 1) {
        expect((await rotate(made, { graceSeconds: 600 })).status).toBe(200);
      }
      const answer = await rotate(made, { retireOnUse: true });
      expect([answer.status, answer.body]).toEqual([409, problemBody('too_many_valid_values')]);
      expect((await shown(made)).earlierValues).toHaveLength(10);
      expect((await rotate(made, {})).status).toBe(200);
      expect((await shown(made)).earlierValues).toEqual([]);
    });
  });

  it.each([
    ['a grace of more than seven days', { graceSeconds: 604_801 }],
    ['a negative grace', { graceSeconds: -1 }],
    ['a misspelt field', { grace: 60 }],
  ])('422 for %s', async (_, body) => {
    expect((await rotate(await issue(), body)).status).toBe(422);
  });
});

describe('an Idempotency-Key', () => {
  const key = 'a-random-key-0123456789';

  it('gives the same value again, on every replica, and changes nothing', async () => {
    const made = await issue();
    const { body: first } = await rotate(made, { graceSeconds: 60 }, { key });
    const { status, body: repeated } = await rotate(made, { graceSeconds: 60 }, { key, on: replicas.other });
    expect([status, repeated]).toEqual([200, first]);
    expect(await codesOf(repeated.token)).toEqual(accepted);
  });

  it('of a token that rotates itself gives the same value to the earlier one', async () => {
    const made = await issue(['update:own_token', 'read:project']);
    const { body: first } = await rotateSelf(made.token, {}, key);
    const { body: repeated } = await rotateSelf(made.token, {}, key);
    expect(repeated.token).toBe(first.token);
    expect(await codesOf(repeated.token)).toEqual(accepted);
    expect((await rotateSelf(made.token, {}, key)).status).toBe(401);
  });

  it('of another token is another key', async () => {
    const [one, other] = [await issue(), await issue()];
    const { body: first } = await rotate(one, {}, { key });
    const { status, body: second } = await rotate(other, {}, { key });
    expect(status).toBe(200);
    expect(second.id).not.toBe(first.id);
  });

  describe('409 and no change', () => {
    async function refuses(made: Made, body: object, options: object, detail: RegExp): Promise<void> {
      const before = await shown(made);
      const answer = await rotate(made, body, { key, ...options });
      expect(answer).toMatchObject({
        status: 409,
        body: { code: 'idempotency_key_used', detail: expect.stringMatching(detail) },
      });
      expect(await shown(made)).toEqual(before);
    }

    it('with another body', async () => {
      const made = await issue();
      await rotate(made, { graceSeconds: 60 }, { key });
      await refuses(made, { graceSeconds: 61 }, {}, /another body/);
    });

    it('with another credential, so that a guessed key gives nobody the value', async () => {
      const made = await issue();
      const rotator = await issue(['update:token', 'read:project']);
      await rotate(made, { graceSeconds: 60 }, { key });
      await refuses(made, { graceSeconds: 60 }, { as: { project: rotator.token } }, /another credential/);
    });

    it('after the value was used', async () => {
      const made = await issue();
      const { body } = await rotate(made, { graceSeconds: 60 }, { key });
      expect(await codesOf(body.token)).toEqual(accepted);
      await refuses(made, { graceSeconds: 60 }, {}, /used since/);
    });

    it('after an hour, and for a day', async () => {
      const made = await issue();
      const { body } = await rotate(made, { graceSeconds: 60 }, { key });
      replicas.clock.advance(3_599_999);
      expect((await rotate(made, { graceSeconds: 60 }, { key })).body.token).toBe(body.token);
      replicas.clock.advance(1);
      await refuses(made, { graceSeconds: 60 }, {}, /an hour/);
      replicas.clock.advance(23 * 3_600_000);
      const again = await rotate(made, { graceSeconds: 60 }, { key });
      expect(again.status).toBe(200);
      expect(again.body.token).not.toBe(body.token);
    });

    it('after the token was rotated again', async () => {
      const made = await issue();
      await rotate(made, {}, { key });
      await rotate(made, {});
      await refuses(made, {}, {}, /again since/);
    });
  });

  it.each(['short', 'with spaces in between them', 'x'.repeat(129)])('%j: 400', async (wrong) => {
    const answer = await rotate(await issue(), {}, { key: wrong });
    expect([answer.status, answer.body]).toEqual([400, problemBody('invalid_idempotency_key')]);
  });

  it('rotates once for concurrent requests', async () => {
    const made = await issue();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        rotate(made, { graceSeconds: 60 }, { key, on: index % 2 === 0 ? replicas.one : replicas.other }),
      ),
    );
    expect(new Set(answers.map(({ body }) => body.token)).size).toBe(1);
    expect((await shown(made)).earlierValues).toHaveLength(1);
  });
});

describe('/v1/project_tokens/self', () => {
  it('is the token of the request, which needs no permission', async () => {
    const made = await issue([]);
    const { status, body } = await replicas.one.request<Token>('GET', '/v1/project_tokens/self', {
      as: { project: made.token },
    });
    expect([status, body]).toEqual([200, await shown(made)]);
  });

  it('is an invalid credential as soon as its project is deleted, also for a request that was admitted before', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { body: project } = await replicas.one.request<{ id: string; token: string }>(
        'POST',
        '/v1/projects',
        {
          as: { access: replicas.admin },
          body: { name: 'deleted' },
        },
      );
      const as = { project: project.token };
      const [{ status, body }] = await Promise.all([
        replicas.one.request<{ code?: string }>('GET', '/v1/project_tokens/self', { as }),
        replicas.one.request('DELETE', `/v1/projects/${project.id}`, { as: { access: replicas.admin } }),
      ]);
      expect([status, body.code]).toEqual(status === 200 ? [200, undefined] : [401, 'invalid_credential']);
    }
  });

  it('rotates without ending its own value before the new one is used', async () => {
    const made = await issue(['update:own_token', 'read:project']);
    const { status, body } = await rotateSelf(made.token, {});
    expect([status, body.id, body.earlierValues]).toMatchObject([200, made.id, [{ retiresOnUse: true }]]);
    expect(await codesOf(made.token)).toEqual(accepted);
    expect(await codesOf(body.token)).toEqual(accepted);
    expect(await codesOf(made.token)).toEqual(rotated);
  });

  it('gives nothing new to a value in its grace, whose holder would otherwise keep the token', async () => {
    const made = await issue(['update:own_token', 'update:token', 'read:project']);
    const { body: second } = await rotate(made, { graceSeconds: 60 });
    const before = await shown(made);
    const detail = `This value is from before a rotation and ends at ${inSeconds(60)}, so it cannot get a new one, which would last longer. Use the newest value of the token, or let somebody else rotate it.`;
    for (const { status, body } of [
      await rotateSelf(made.token, {}),
      await rotateSelf(made.token, { graceSeconds: 10 }, 'key-of-the-holder'),
      await rotate(made, {}, { as: { project: made.token } }),
    ]) {
      expect([status, body]).toEqual([403, problemBody('expiry_exceeds_own', detail)]);
    }
    const { lastUsedAt: _, ...unchanged } = before;
    expect(await shown(made)).toMatchObject({ rotatedAt: unchanged.rotatedAt, token: unchanged.token });
    expect((await rotateSelf(second.token, {})).status).toBe(200);
  });

  it('gives nothing new to a value that ends while its request is under way', async () => {
    const made = await issue(['update:own_token', 'read:project']);
    const [ended, own] = await Promise.all([rotate(made, {}), rotateSelf(made.token, {})]);
    // Whichever was first: the token rotates itself before the operator does, or not at all.
    if (own.status !== 200) {
      expect([own.status, own.body]).toEqual([401, problemBody('rotated_credential')]);
    }
    const { token, earlierValues } = await shown(made);
    expect([token, earlierValues]).toEqual([`mst_p_…${ended.body.token.slice(-4)}`, []]);
    expect([await codesOf(made.token), await codesOf(ended.body.token)]).toEqual([rotated, accepted]);
  });

  it('rotates only with update:own_token: a token that a whole fleet has is not changed by one of its agents', async () => {
    const made = await issue(['create:agent', 'create:agent_error', 'update:agent', 'read:fleet']);
    expect((await rotateSelf(made.token, {})).status).toBe(403);
  });
});

describe('GET /v1/projects/{projectID}/tokens?status', () => {
  it('counts the end of a grace as expiring', async () => {
    const [made, other] = [await issue(), await issue()];
    await rotate(made, { graceSeconds: 60 });
    await rotate(other, { retireOnUse: true });
    const listed = async (status: string) => {
      const { body } = await replicas.other.request<Token[]>(
        'GET',
        `/v1/projects/${projectID}/tokens?status=${status}&last=1000`,
        { as: { access: replicas.admin } },
      );
      for (const token of body) expect(token.status).toBe(status);
      return body.map(({ id }) => id).filter((id) => [made.id, other.id].includes(id));
    };
    expect([await listed('active'), await listed('expiring')]).toEqual([[other.id], [made.id]]);
    replicas.clock.advance(60_000);
    expect([await listed('active'), await listed('expiring')]).toEqual([[other.id, made.id], []]);
  });
});
