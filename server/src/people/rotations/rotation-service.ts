import type { RotateToken } from '@muster/contract';
import type { Kysely } from 'kysely';
import { type Clock, toTimestamp } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { type RandomBytes, Secret, type TokenDigest } from '../../foundation/secret.ts';
import { deriveValue, digestKey } from './derive-value.ts';
import { keyMilliseconds, maxEarlierValues, planRotation, repeatableMilliseconds } from './rotation.ts';
import * as store from './rotation-store.ts';

interface RotationServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
}

/** A value from before a rotation. */
export type EarlierSecret = store.EarlierSecretRow;

/** The columns of a token that a rotation changes. */
export interface ValueColumns {
  readonly digest: string;
  readonly last_four: string;
  readonly secret_number: number;
}

export interface RotatedValue {
  readonly secret: Secret;
  /** Undefined: the answer to an earlier request is repeated, and nothing changes. */
  readonly change: (ValueColumns & { readonly rotated_at: number }) | undefined;
}

/** Makes a value from 32 random bytes. */
type Format = (random: Uint8Array) => string;

export interface RotationRequest {
  readonly input: RotateToken;
  /** The Idempotency-Key, if there is one. */
  readonly key: string | undefined;
  /** The credential of the request. */
  readonly credential: Secret;
}

/** The values of tokens of any kind: the new one of a rotation, and the earlier ones that are still accepted. */
export class RotationService {
  readonly #options: RotationServiceOptions;

  constructor(options: RotationServiceOptions) {
    this.#options = options;
  }

  /**
   * Makes the new value of a token, inside a transaction that has locked the token and stores the change.
   *
   * @param value the new value, or what makes it from 32 random bytes. A value that is given has no Idempotency-Key.
   * @throws Refusal idempotency_key_used, too_many_valid_values, rotated_credential, expiry_exceeds_own
   */
  async rotate(
    trx: Kysely<Tables>,
    token: ValueColumns & { readonly id: string; readonly rotated_by_id?: string | null },
    request: RotationRequest,
    value: Secret | Format,
  ): Promise<RotatedValue> {
    const now = this.#options.clock();
    const repeated = value instanceof Secret ? undefined : await this.#repeat(trx, token, request, value);
    if (repeated !== undefined) return { secret: repeated, change: undefined };
    const rotation = planRotation(request.input, now);
    const { engine } = this.#options.database;
    await store.lockEarlierSecrets(trx, engine, token.id);
    await this.#requireLasting(trx, token.id, request.credential);
    const earlier = await store.listEarlierSecrets(trx, engine, [token.id], now);
    if (rotation.endsAt !== now && earlier.length >= maxEarlierValues)
      throw new Refusal('too_many_valid_values');
    await store.restrictEarlierSecrets(trx, earlier, rotation);
    await store.insertEarlierSecret(trx, {
      digest: token.digest,
      token_id: token.id,
      number: token.secret_number,
      last_four: token.last_four,
      ends_at: rotation.endsAt,
      retires_on_use: rotation.retiresOnUse ? 1 : 0,
      rotated_by_id: token.rotated_by_id ?? null,
      last_used_at: null,
    });
    const number = token.secret_number + 1;
    const secret =
      value instanceof Secret
        ? value
        : new Secret(value(await this.#newValue(trx, token.id, number, request)));
    return {
      secret,
      change: {
        digest: secret.digest(),
        last_four: secret.lastFour(),
        secret_number: number,
        rotated_at: now,
      },
    };
  }

  /** Locks the earlier values of tokens that one transaction rotates, in one order. */
  async lockEarlier(trx: Kysely<Tables>, tokenIDs: readonly string[]): Promise<void> {
    await store.lockEarlierSecrets(trx, this.#options.database.engine, ...tokenIDs);
  }

  /** True if the token had this value before a rotation, also if it has ended since. */
  async isEarlier(trx: Kysely<Tables>, tokenID: string, digest: TokenDigest): Promise<boolean> {
    return (await store.findEarlierSecret(trx, tokenID, digest)) !== undefined;
  }

  /** The user who got a value of a token by a rotation, after the rotation that has replaced the value. */
  async findRotator(trx: Kysely<Tables>, tokenID: string, digest: TokenDigest): Promise<string | null> {
    return (await store.findEarlierSecret(trx, tokenID, digest))?.rotated_by_id ?? null;
  }

  /** Called when a value was used that nobody had used before. Returns whether earlier values have ended with it. */
  async noteFirstUse(trx: Kysely<Tables>, tokenID: string, number: number): Promise<boolean> {
    await store.lockEarlierSecrets(trx, this.#options.database.engine, tokenID);
    await store.removeSalts(trx, tokenID, number);
    return store.retireEarlierSecrets(trx, tokenID, number, this.#options.clock());
  }

  /** Ends an earlier value at once, inside a transaction that has locked its token. */
  async endEarlier(trx: Kysely<Tables>, tokenID: string, digest: TokenDigest): Promise<void> {
    const { database, clock } = this.#options;
    await store.lockEarlierSecrets(trx, database.engine, tokenID);
    await store.endEarlierSecret(trx, digest, clock());
  }

  /** Ends the earlier values of tokens that a user got by rotations, inside a transaction that has locked the tokens. */
  async endEarlierOf(trx: Kysely<Tables>, tokenIDs: readonly string[], userID: string): Promise<void> {
    const { database, clock } = this.#options;
    await store.lockEarlierSecrets(trx, database.engine, ...tokenIDs);
    const now = clock();
    for (const { digest, rotated_by_id } of await store.listEarlierSecrets(
      trx,
      database.engine,
      tokenIDs,
      now,
    )) {
      if (rotated_by_id === userID) await store.endEarlierSecret(trx, digest, now);
    }
  }

  /** Earlier values that are still accepted, by the token, newest first. */
  async listEarlier(
    db: Kysely<Tables>,
    tokenIDs: readonly string[],
  ): Promise<ReadonlyMap<string, readonly store.EarlierSecretRow[]>> {
    const { database, clock } = this.#options;
    const rows = await store.listEarlierSecrets(db, database.engine, tokenIDs, clock());
    const byToken = new Map<string, store.EarlierSecretRow[]>();
    for (const row of rows) byToken.set(row.token_id, [...(byToken.get(row.token_id) ?? []), row]);
    return byToken;
  }

  /** @param before milliseconds: what ended earlier is removed. */
  async purge(before: number): Promise<void> {
    const { database, clock, closing } = this.#options;
    const now = clock();
    const limits = { salts: now - repeatableMilliseconds, keys: now - keyMilliseconds, before };
    await store.purgeRotations(database, limits, closing);
  }

  /**
   * Of a token that rotates itself: its value may have ended since the request was admitted, and whoever has a value that is about to end must not
   * get one that stays.
   */
  async #requireLasting(trx: Kysely<Tables>, tokenID: string, credential: Secret): Promise<void> {
    const earlier = await store.findEarlierSecret(trx, tokenID, credential.digest());
    if (earlier === undefined || earlier.ends_at === null) return;
    if (earlier.ends_at <= this.#options.clock()) throw new Refusal('rotated_credential');
    throw new Refusal('expiry_exceeds_own', {
      detail: `This value is from before a rotation and ends at ${toTimestamp(earlier.ends_at)}, so it cannot get a new one, which would last longer. Use the newest value of the token, or let somebody else rotate it.`,
    });
  }

  async #newValue(
    trx: Kysely<Tables>,
    tokenID: string,
    number: number,
    { input, key, credential }: RotationRequest,
  ): Promise<Uint8Array> {
    const { clock, randomBytes } = this.#options;
    const random = randomBytes(32);
    if (key === undefined) return random;
    const salt = Buffer.from(random).toString('hex');
    await store.putRotation(trx, {
      token_id: tokenID,
      key_digest: digestKey(tokenID, key),
      number,
      request: describe(input),
      salt,
      created_at: clock(),
    });
    return deriveValue({ credential, key, salt, tokenID });
  }

  /** The value that an earlier request with the same key got; undefined if there was none. */
  async #repeat(
    trx: Kysely<Tables>,
    token: ValueColumns & { readonly id: string },
    { input, key, credential }: RotationRequest,
    format: Format,
  ): Promise<Secret | undefined> {
    if (key === undefined) return undefined;
    const now = this.#options.clock();
    const earlier = await store.findRotation(trx, token.id, digestKey(token.id, key));
    if (earlier === undefined || earlier.created_at + keyMilliseconds <= now) return undefined;
    if (earlier.request !== describe(input)) throw refuseKey('The request with this key had another body.');
    if (earlier.salt === null || earlier.created_at + repeatableMilliseconds <= now) {
      throw refuseKey('The token was rotated, and its new value has been used since, or an hour has passed.');
    }
    const secret = new Secret(
      format(deriveValue({ credential, key, salt: earlier.salt, tokenID: token.id })),
    );
    if (secret.digest() === token.digest) return secret;
    throw refuseKey('The token was rotated with another credential, or again since.');
  }
}

function refuseKey(reason: string): Refusal {
  return new Refusal('idempotency_key_used', {
    detail: `${reason} Nothing was changed. To rotate the token again, send another Idempotency-Key.`,
  });
}

function describe({ graceSeconds, retireOnUse }: RotateToken): string {
  return JSON.stringify({ graceSeconds, retireOnUse });
}
