import type { AccessToken } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { type Replicas, startReplicas } from '../../testing/start-replicas.ts';

let replicas: Replicas;

beforeAll(async () => {
  replicas = await startReplicas();
});

afterAll(() => replicas.close());

async function create(body: object = {}, access = replicas.admin): Promise<AccessToken> {
  const answer = await replicas.one.request<AccessToken>('POST', '/v1/access_tokens', {
    as: { access },
    body: { name: 'laptop', ...body },
  });
  return answer.body;
}

function rotate(id: string, access: string, body: object, key?: string) {
  return replicas.one.request<AccessToken>('POST', `/v1/access_tokens/${id}/rotate`, {
    as: { access },
    body,
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  });
}

async function codesOf(access: string): Promise<(string | undefined)[]> {
  const codes: (string | undefined)[] = [];
  for (const app of [replicas.one, replicas.other]) {
    const { status, body } = await app.request<{ code?: string }>('GET', '/v1/access_tokens/self', {
      as: { access },
    });
    codes.push(status === 200 ? undefined : body.code);
  }
  return codes;
}

const accepted = [undefined, undefined];
const rotated = ['rotated_credential', 'rotated_credential'];

describe('POST /v1/access_tokens/{accessTokenID}/rotate', () => {
  it('gives the token a new value under the same id, and ends the old one everywhere', async () => {
    const made = await create();
    expect(await codesOf(made.token)).toEqual(accepted);
    const { status, body } = await rotate(made.id, replicas.admin, {});
    expect([status, body]).toMatchObject([
      200,
      { ...made, token: expect.any(String), lastUsedAt: expect.anything() },
    ]);
    expect([await codesOf(made.token), await codesOf(body.token)]).toEqual([rotated, accepted]);
  });

  it('accepts both for the grace, and until the first use with retireOnUse', async () => {
    const [one, other] = [await create(), await create()];
    const { body: second } = await rotate(one.id, replicas.admin, { graceSeconds: 60 });
    expect([await codesOf(one.token), await codesOf(second.token)]).toEqual([accepted, accepted]);
    replicas.clock.advance(60_000);
    expect([await codesOf(one.token), await codesOf(second.token)]).toEqual([rotated, accepted]);
    const { body: third } = await rotate(other.id, replicas.admin, { retireOnUse: true });
    expect(await codesOf(other.token)).toEqual(accepted);
    expect([await codesOf(third.token), await codesOf(other.token)]).toEqual([accepted, rotated]);
  });

  it('rotates itself safely, and repeats a lost answer', async () => {
    const made = await create();
    const key = 'a-random-key-0123456789';
    const { body } = await rotate(made.id, made.token, {}, key);
    expect((await rotate(made.id, made.token, {}, key)).body.token).toBe(body.token);
    expect([await codesOf(body.token), await codesOf(made.token)]).toEqual([accepted, rotated]);
  });

  it('is refused for a token that the caller did not create, because that may do more or last longer', async () => {
    const brief = await create({ expiresAt: new Date(replicas.clock.now() + 60_000).toISOString() });
    const [wide, child] = [await create(), await create({}, brief.token)];
    const answer = await rotate(wide.id, brief.token, {});
    expect(answer).toMatchObject({ status: 403, body: { code: 'permissions_exceed_own' } });
    expect((await rotate(child.id, brief.token, {})).status).toBe(200);
    expect(await codesOf(wide.token)).toEqual(accepted);
  });

  it('gives nothing new to a value in its grace, whose holder would otherwise keep the token', async () => {
    const made = await create();
    await rotate(made.id, replicas.admin, { graceSeconds: 60 });
    const { status, body } = await rotate(made.id, made.token, {});
    expect([status, body]).toMatchObject([403, { code: 'expiry_exceeds_own' }]);
    replicas.clock.advance(60_000);
    expect(await codesOf(made.token)).toEqual(rotated);
  });

  it('is refused for the token that the settings define, and for tokens that ended', async () => {
    const own = await replicas.one.request<AccessToken>('GET', '/v1/access_tokens/self', {
      as: { access: replicas.admin },
    });
    expect((await rotate(own.body.id, replicas.admin, {})).body).toEqual(problemBody('token_of_settings'));
    const brief = await create({ expiresAt: new Date(replicas.clock.now() + 60_000).toISOString() });
    replicas.clock.advance(60_000);
    expect((await rotate(brief.id, replicas.admin, {})).body).toEqual(problemBody('token_expired'));
    const missing = '0192f0a0-0000-7000-8000-000000000000';
    expect((await rotate(missing, replicas.admin, {})).status).toBe(404);
  });
});
