import { beforeEach, describe, expect, it } from 'vitest';
import { createTestClock, type TestClock, testStart } from '../../testing/test-clock.ts';
import { Refusal } from '../refusal.ts';
import { digestToken, type TokenDigest } from '../secret.ts';
import { CredentialCache, type Pace } from './credential-cache.ts';
import type { Principal } from './principal.ts';
import type { StoredCredential } from './stored-credential.ts';

/** Stored credentials by digest. A test can delay a look-up. */
class Stored {
  readonly rows = new Map<TokenDigest, StoredCredential>();
  lookUps = 0;
  #gate: Promise<void> = Promise.resolve();

  put(value: string, row: Partial<StoredCredential> = {}): void {
    this.rows.set(digestToken(value), { principal: principal(value), revoked: false, ...row });
  }

  /** From now on, look-ups read at once but resolve only when the returned function is called. */
  hold(): () => void {
    let release: () => void = () => undefined;
    this.#gate = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  readonly find = async (digests: readonly TokenDigest[]): Promise<Map<string, StoredCredential>> => {
    this.lookUps += 1;
    const found = new Map([...this.rows].filter(([digest]) => digests.includes(digest)));
    await this.#gate;
    return found;
  };
}

let stored: Stored;
let clock: TestClock;
let used: [string, number][];
let cache: CredentialCache;

beforeEach(() => {
  stored = new Stored();
  clock = createTestClock();
  used = [];
  cache = createCache(false);
});

function createCache(areAllRandom: boolean, ttlMilliseconds?: number): CredentialCache {
  return new CredentialCache({
    clock: clock.now,
    monotonic: clock.monotonic,
    find: stored.find,
    isWellFormed: (value) => value.startsWith('token'),
    areAllRandom,
    onUse: (found, at) => used.push([nameOf(found), at]),
    maxEntries: 3,
    ttlMilliseconds,
  });
}

const promptly = (): Pace => 'prompt';

function principal(name: string, expiresAt: number | null = null): Principal {
  return { kind: 'project', tokenID: name, name, projectID: 'project', grants: ['read:*'], expiresAt };
}

function nameOf(found: Principal): string {
  return found.kind === 'agent' ? found.agentID : found.name;
}

async function check(value: string): Promise<Principal> {
  return cache.authenticate(value, promptly);
}

async function refusalOf(value: string): Promise<string> {
  try {
    await check(value);
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
  return 'none';
}

describe('CredentialCache', () => {
  it('looks a credential up the first time, and answers from memory afterwards', async () => {
    stored.put('token');
    expect(cache.authenticate('token', promptly)).toBeInstanceOf(Promise);
    const found = await check('token');
    const lookUps = stored.lookUps;
    for (let time = 0; time < 100; time += 1) expect(cache.authenticate('token', promptly)).toBe(found);
    expect(found).toEqual(principal('token'));
    expect(stored.lookUps).toBe(lookUps);
  });

  it('refuses a value that cannot be a token, without a look-up', async () => {
    expect(() => cache.authenticate('nonsense', promptly)).toThrow(Refusal);
    expect(await refusalOf('nonsense')).toBe('invalid_credential');
    expect(stored.lookUps).toBe(0);
  });

  it('refuses an unknown credential, and finds it as soon as it is stored', async () => {
    expect(await refusalOf('token')).toBe('invalid_credential');
    stored.put('token');
    expect(await refusalOf('token')).toBe('none');
  });

  it('refuses a revoked credential', async () => {
    stored.put('token', { revoked: true });
    expect(await refusalOf('token')).toBe('revoked_credential');
  });

  it('refuses an expired credential, on the first look-up and when it is remembered', async () => {
    stored.put('token', { principal: principal('token', testStart + 10) });
    expect(await refusalOf('token')).toBe('none');
    clock.advance(9);
    expect(await refusalOf('token')).toBe('none');
    clock.advance(1);
    expect(await refusalOf('token')).toBe('expired_credential');
    stored.put('token 2', { principal: principal('token 2', testStart) });
    expect(await refusalOf('token 2')).toBe('expired_credential');
  });

  it('reports each use with its time, and no use that is refused', async () => {
    stored.put('token', { principal: principal('token', testStart + 10) });
    await check('token');
    clock.advance(5);
    await check('token');
    clock.advance(5);
    await refusalOf('token');
    await refusalOf('token 2');
    expect(used).toEqual([
      ['token', testStart],
      ['token', testStart + 5],
    ]);
  });

  it('rejects when the look-up fails, and remembers nothing', async () => {
    let isDown = true;
    const shaky = new CredentialCache({
      clock: clock.now,
      monotonic: clock.monotonic,
      find: async (digests) => {
        if (isDown) throw new Error('the database is away');
        return stored.find(digests);
      },
      isWellFormed: () => true,
      areAllRandom: true,
    });
    stored.put('token');
    await expect(shaky.authenticate('token', promptly)).rejects.toThrow('the database is away');
    isDown = false;
    expect(await shaky.authenticate('token', promptly)).toEqual(principal('token'));
  });

  it('finds a credential whose project stopped moving while it was looked up', async () => {
    const moving = new Refusal('project_moving', { detail: 'It moves.', retryAfterSeconds: 5 });
    let move: 'none' | 'over' | 'under way' = 'none';
    const cacheOfProjects = new CredentialCache({
      clock: clock.now,
      monotonic: clock.monotonic,
      find: stored.find,
      async findMoving(digests) {
        if (move === 'none') return undefined;
        if (move === 'under way') return new Map(digests.map((digest) => [digest, moving]));
        stored.put('token');
        return new Map();
      },
      isWellFormed: () => true,
      areAllRandom: false,
    });
    const find = async () => cacheOfProjects.authenticate('token', promptly);
    await expect(find()).rejects.toMatchObject({ code: 'invalid_credential' });
    // Without a project that has moved, that is all.
    expect(stored.lookUps).toBe(1);
    move = 'under way';
    await expect(find()).rejects.toBe(moving);
    move = 'over';
    expect(await find()).toEqual(principal('token'));
  });

  describe('forget', () => {
    it('makes the next check look up again, only for what has changed', async () => {
      stored.put('token 1');
      stored.put('token 2');
      await check('token 1');
      await check('token 2');
      stored.put('token 1', { revoked: true });
      stored.put('token 2', { revoked: true });
      cache.forget((found) => nameOf(found) === 'token 1');
      expect(await refusalOf('token 1')).toBe('revoked_credential');
      expect(await refusalOf('token 2')).toBe('none');
      cache.forgetDigests([digestToken('token 2')]);
      expect(await refusalOf('token 2')).toBe('revoked_credential');
    });

    it.each([
      ['all', () => cache.forgetAll()],
      ['by principal', () => cache.forget(() => true)],
      ['by principal, even if no remembered credential matches', () => cache.forget(() => false)],
      ['by digest', () => cache.forgetDigests([digestToken('token')])],
      ['by digest, even if it is a different one', () => cache.forgetDigests([digestToken('token 2')])],
    ])('does not keep the result of a look-up that was under way (%s)', async (_, forget) => {
      stored.put('token');
      const release = stored.hold();
      const underWay = check('token');
      while (stored.lookUps === 0) await new Promise(setImmediate);
      stored.put('token', { revoked: true });
      forget();
      release();
      // It began before the change was answered, so it may be admitted once.
      expect(await underWay).toEqual(principal('token'));
      expect(await refusalOf('token')).toBe('revoked_credential');
    });

    it('keeps the result of a look-up that began afterwards', async () => {
      stored.put('token');
      cache.forget(() => true);
      await check('token');
      await check('token');
      expect(stored.lookUps).toBe(1);
    });

    it('finds new permissions and a new expiry', async () => {
      stored.put('token', { principal: principal('token', testStart + 1) });
      await check('token');
      clock.advance(1);
      const extended = principal('token', testStart + 100);
      stored.put('token', { principal: extended });
      cache.forget(() => true);
      expect(await check('token')).toEqual(extended);
    });
  });

  describe('recall', () => {
    it('returns remembered credentials, reports the use, and never looks up', async () => {
      stored.put('token');
      expect(cache.recall('token')).toBeUndefined();
      const found = await check('token');
      used.length = 0;
      expect(cache.recall('token')).toBe(found);
      expect(used).toEqual([['token', testStart]]);
      expect(stored.lookUps).toBe(1);
    });

    it('returns nothing for expired and forgotten credentials, and reports no use', async () => {
      stored.put('token 1', { principal: principal('token 1', testStart + 1) });
      stored.put('token 2');
      await check('token 1');
      await check('token 2');
      used.length = 0;
      clock.advance(1);
      cache.forget((found) => nameOf(found) === 'token 2');
      expect(cache.recall('token 1')).toBeUndefined();
      expect(cache.recall('token 2')).toBeUndefined();
      expect(used).toEqual([]);
    });
  });

  describe('when other processes may end a credential unnoticed', () => {
    beforeEach(() => {
      cache = createCache(true, 60_000);
    });

    it('trusts a look-up for the configured time, whether or not the credential is used meanwhile', async () => {
      stored.put('token');
      await check('token');
      stored.rows.clear();
      clock.advance(59_999);
      expect(cache.recall('token')).toEqual(principal('token'));
      expect(await check('token')).toEqual(principal('token'));
      clock.advance(1);
      expect(cache.recall('token')).toBeUndefined();
      expect(await refusalOf('token')).toBe('invalid_credential');
      expect(cache.recallRefusal('token')?.code).toBe('invalid_credential');
    });

    it('counts the time from the start of the look-up', async () => {
      stored.put('token');
      const release = stored.hold();
      const underWay = check('token');
      while (stored.lookUps === 0) await new Promise(setImmediate);
      clock.advance(40_000);
      release();
      await underWay;
      clock.advance(20_000);
      expect(cache.recall('token')).toBeUndefined();
    });

    it('looks up once for all concurrent requests after that, and trusts the result for the same time', async () => {
      stored.put('token');
      await check('token');
      clock.advance(60_000);
      const changed = principal('token', testStart + 1_000_000);
      stored.put('token', { principal: changed });
      expect(await Promise.all([check('token'), check('token')])).toEqual([changed, changed]);
      clock.advance(59_999);
      expect(cache.recall('token')).toEqual(changed);
      expect(stored.lookUps).toBe(2);
    });

    it('trusts each look-up for the same time when the clock is set back and forward again', async () => {
      stored.put('token');
      await check('token');
      clock.set(-3_600_000);
      clock.advance(59_999);
      expect(cache.recall('token')).toEqual(principal('token'));
      clock.advance(1);
      expect(cache.recall('token')).toBeUndefined();
      await check('token');
      clock.set(3_600_000);
      expect(cache.recall('token')).toEqual(principal('token'));
    });

    it('evicts the credential with the oldest look-up, not the one first seen', async () => {
      for (const value of ['token 1', 'token 2', 'token 3', 'token 1', 'token 4']) {
        stored.put(value);
        await check(value);
        clock.advance(20_000);
      }
      expect(cache.recall('token 1')).toBeDefined();
      expect(cache.recall('token 2')).toBeUndefined();
    });
  });

  it('trusts a look-up until it is forgotten, if no other process can end a credential', async () => {
    stored.put('token');
    await check('token');
    clock.advance(365 * 86_400_000);
    expect(cache.recall('token')).toEqual(principal('token'));
  });

  describe('for credentials that only the service creates', () => {
    beforeEach(() => {
      cache = createCache(true);
    });

    it('remembers for 30 seconds that one is unknown or revoked, and refuses it from memory', async () => {
      stored.put('token 2', { revoked: true });
      const expected = { 'token 1': 'invalid_credential', 'token 2': 'revoked_credential' };
      for (const [value, code] of Object.entries(expected)) {
        expect(cache.recallRefusal(value)).toBeUndefined();
        expect(await refusalOf(value)).toBe(code);
        clock.advance(29_999);
        stored.lookUps = 0;
        expect(() => cache.authenticate(value, promptly)).toThrow(Refusal);
        expect(cache.recallRefusal(value)?.code).toBe(code);
        clock.advance(1);
        expect(cache.recallRefusal(value)).toBeUndefined();
        expect(stored.lookUps).toBe(0);
        expect(await refusalOf(value)).toBe(code);
        expect(stored.lookUps).toBe(1);
      }
    });

    it('accepts one at once that was refused before it was created elsewhere', async () => {
      expect(await refusalOf('token')).toBe('invalid_credential');
      stored.put('token');
      cache.forgetDigests([digestToken('token')]);
      expect(cache.recallRefusal('token')).toBeUndefined();
      expect(await check('token')).toEqual(principal('token'));
    });

    it('does not remember that for longer when the clock is set back', async () => {
      expect(await refusalOf('token')).toBe('invalid_credential');
      clock.set(-3_600_000);
      clock.advance(30_000);
      expect(cache.recallRefusal('token')).toBeUndefined();
    });

    it('forgets that when other processes changed anything', async () => {
      await refusalOf('token');
      stored.put('token');
      cache.forget(() => false);
      expect(await refusalOf('token')).toBe('none');
    });

    it('does not remember a look-up during which something was forgotten', async () => {
      const release = stored.hold();
      const underWay = refusalOf('token');
      while (stored.lookUps === 0) await new Promise(setImmediate);
      cache.forget(() => false);
      release();
      expect(await underWay).toBe('invalid_credential');
      expect(cache.recallRefusal('token')).toBeUndefined();
    });

    it('does not remember a failure of the database', async () => {
      const find = stored.find;
      const failing = new CredentialCache({
        clock: clock.now,
        monotonic: clock.monotonic,
        find: (digests) =>
          stored.lookUps === 0 && ++stored.lookUps ? Promise.reject(new Error('away')) : find(digests),
        isWellFormed: () => true,
        areAllRandom: true,
      });
      stored.put('token');
      await expect(failing.authenticate('token', promptly)).rejects.toThrow('away');
      expect(failing.recallRefusal('token')).toBeUndefined();
      expect(await failing.authenticate('token', promptly)).toEqual(principal('token'));
    });

    it('never remembers that a credential has expired, because its expiry can be changed', async () => {
      stored.put('token', { principal: principal('token', testStart) });
      expect(await refusalOf('token')).toBe('expired_credential');
      expect(cache.recallRefusal('token')).toBeUndefined();
      expect(await refusalOf('token')).toBe('expired_credential');
      expect(stored.lookUps).toBe(1);
      stored.put('token', { principal: principal('token', testStart + 1) });
      cache.forget(() => true);
      expect(await refusalOf('token')).toBe('none');
    });

    it('holds at most 10,000 of them, and evicts the oldest', async () => {
      const values = Array.from({ length: 10_001 }, (_, number) => `token ${number}`);
      await refusalOf('token 0');
      await Promise.all(values.slice(1).map((value) => refusalOf(value)));
      expect(values.filter((value) => cache.recallRefusal(value) === undefined)).toEqual(['token 0']);
    });
  });

  it('does not remember refusals of values that an operator chooses, because they may be tried before they are set', async () => {
    expect(await refusalOf('token')).toBe('invalid_credential');
    expect(cache.recallRefusal('token')).toBeUndefined();
    expect(cache.recallRefusal('nonsense')?.code).toBe('invalid_credential');
    stored.put('token');
    expect(await refusalOf('token')).toBe('none');
  });

  it('asks for the pace only when a look-up is needed', async () => {
    let asked = 0;
    const choosePace = (): Pace => {
      asked += 1;
      return 'patient';
    };
    stored.put('token');
    await cache.authenticate('token', choosePace);
    await cache.authenticate('token', choosePace);
    expect(() => cache.authenticate('nonsense', choosePace)).toThrow(Refusal);
    expect(asked).toBe(1);
  });

  it('holds at most its limit, and evicts the oldest', async () => {
    for (let number = 1; number <= 4; number += 1) {
      stored.put(`token ${number}`);
      await check(`token ${number}`);
    }
    expect(stored.lookUps).toBe(4);
    for (const number of [4, 3, 2]) await check(`token ${number}`);
    expect(stored.lookUps).toBe(4);
    await check('token 1');
    expect(stored.lookUps).toBe(5);
    await check('token 2');
    expect(stored.lookUps).toBe(6);
  });
});
