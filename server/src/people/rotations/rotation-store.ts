import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import { deleteInPortions, isInPortion } from '../../foundation/database/delete-in-portions.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { isAnyOf } from '../../foundation/database/text-matching.ts';
import type { TokenDigest } from '../../foundation/secret.ts';
import { earlierEnd, type Rotation } from './rotation.ts';

export type EarlierSecretRow = Selectable<Tables['earlier_secrets']>;
export type RotationRow = Selectable<Tables['rotations']>;

/**
 * Locks the earlier values of tokens until the transaction ends, in the order in which `LastUsed` locks them. Call it before any of
 * them is changed.
 */
export async function lockEarlierSecrets(
  db: Kysely<Tables>,
  engine: Engine,
  ...tokenIDs: readonly string[]
): Promise<void> {
  // SQLite has one transaction at a time.
  if (engine === 'sqlite') return;
  await db
    .selectFrom('earlier_secrets')
    .select('digest')
    .where(sql<boolean>`token_id = any(${tokenIDs}::uuid[])`)
    .orderBy('digest')
    .forNoKeyUpdate()
    .execute();
}

/** Earlier values of tokens that are still accepted, newest first. */
export async function listEarlierSecrets(
  db: Kysely<Tables>,
  engine: Engine,
  tokenIDs: readonly string[],
  now: number,
): Promise<EarlierSecretRow[]> {
  if (tokenIDs.length === 0) return [];
  const isOfToken =
    engine === 'sqlite'
      ? isAnyOf(engine, sql.ref('token_id'), tokenIDs)
      : sql<boolean>`token_id = any(${tokenIDs}::uuid[])`;
  return db
    .selectFrom('earlier_secrets')
    .selectAll()
    .where(isOfToken)
    .where((eb) => eb.or([eb('ends_at', 'is', null), eb('ends_at', '>', now)]))
    .orderBy('token_id')
    .orderBy('number', 'desc')
    .execute();
}

/** An earlier value of a token, also one that has ended. */
export async function findEarlierSecret(
  db: Kysely<Tables>,
  tokenID: string,
  digest: TokenDigest,
): Promise<EarlierSecretRow | undefined> {
  return db
    .selectFrom('earlier_secrets')
    .selectAll()
    .where('digest', '=', digest)
    .where('token_id', '=', tokenID)
    .executeTakeFirst();
}

export async function insertEarlierSecret(db: Kysely<Tables>, row: EarlierSecretRow): Promise<void> {
  await db.insertInto('earlier_secrets').values(row).execute();
}

/** Applies a rotation to values from before earlier rotations. It never lets one be accepted for longer. */
export async function restrictEarlierSecrets(
  db: Kysely<Tables>,
  rows: readonly EarlierSecretRow[],
  { endsAt, retiresOnUse }: Rotation,
): Promise<void> {
  for (const { digest, ends_at, retires_on_use } of rows) {
    await db
      .updateTable('earlier_secrets')
      .set({
        ends_at: earlierEnd(ends_at, endsAt),
        retires_on_use: retiresOnUse ? 1 : retires_on_use,
      })
      .where('digest', '=', digest)
      .execute();
  }
}

/** Ends the values that wait for the first use of this one, or of an earlier one than this. Returns whether there were any. */
export async function retireEarlierSecrets(
  db: Kysely<Tables>,
  tokenID: string,
  number: number,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('earlier_secrets')
    .set({ ends_at: now })
    .where('token_id', '=', tokenID)
    .where('number', '<', number)
    .where('retires_on_use', '=', 1)
    .where((eb) => eb.or([eb('ends_at', 'is', null), eb('ends_at', '>', now)]))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function endEarlierSecret(db: Kysely<Tables>, digest: string, now: number): Promise<void> {
  await db.updateTable('earlier_secrets').set({ ends_at: now }).where('digest', '=', digest).execute();
}

export async function findRotation(
  db: Kysely<Tables>,
  tokenID: string,
  keyDigest: string,
): Promise<RotationRow | undefined> {
  return db
    .selectFrom('rotations')
    .selectAll()
    .where('token_id', '=', tokenID)
    .where('key_digest', '=', keyDigest)
    .executeTakeFirst();
}

export async function putRotation(db: Kysely<Tables>, row: RotationRow): Promise<void> {
  const { token_id, key_digest, ...rest } = row;
  await db
    .insertInto('rotations')
    .values(row)
    .onConflict((conflict) => conflict.columns(['token_id', 'key_digest']).doUpdateSet(rest))
    .execute();
}

/** The value of a rotation was used: it must not be given again. */
export async function removeSalts(db: Kysely<Tables>, tokenID: string, number: number): Promise<void> {
  await db
    .updateTable('rotations')
    .set({ salt: null })
    .where('token_id', '=', tokenID)
    .where('number', '<=', number)
    .where('salt', 'is not', null)
    .execute();
}

/** Removes what is no longer needed of rotations. Values that ended are kept until `before`, for the reason in their 401. */
export async function purgeRotations(
  { engine, write }: Database,
  limits: { readonly salts: number; readonly keys: number; readonly before: number },
  closing: AbortSignal,
): Promise<void> {
  const ofRotations = ['token_id', 'key_digest'];
  const staleSalts = sql`created_at <= ${limits.salts} and salt is not null`;
  await deleteInPortions(closing, async (limit) => {
    const isStale = isInPortion(engine, 'rotations', ofRotations, staleSalts, limit);
    const { numUpdatedRows } = await write
      .updateTable('rotations')
      .set({ salt: null })
      .where(isStale)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  });
  const remove = (
    table: 'rotations' | 'earlier_secrets' | 'earlier_secret_origins',
    key: readonly string[],
    isDue: RawBuilder<unknown>,
  ) =>
    deleteInPortions(closing, async (limit) => {
      const isInThis = isInPortion(engine, table, key, isDue, limit);
      return Number((await write.deleteFrom(table).where(isInThis).executeTakeFirst()).numDeletedRows);
    });
  await remove('rotations', ofRotations, sql`created_at <= ${limits.keys}`);
  await remove('earlier_secrets', ['digest'], sql`ends_at <= ${limits.before}`);
  const isOrphan = sql`not exists (
    select 1 from earlier_secrets where earlier_secrets.digest = earlier_secret_origins.digest)`;
  await remove('earlier_secret_origins', ['digest', 'kind', 'origin'], isOrphan);
}
