import type { Kysely, RawBuilder, Selectable, UpdateObject } from 'kysely';
import { sql } from 'kysely';
import { isAnyID } from '../../foundation/database/is-any-id.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../foundation/database/tables.ts';

type CoreInstanceRow = Selectable<Tables['core_instances']>;

/** How far the batches of a core instance are applied. */
export type BatchProgress = Pick<
  CoreInstanceRow,
  'sequence' | 'applied_sequence' | 'applied_items' | 'newest_report_at' | 'last_result'
>;

/** The same, with when the batch was tried first, and what has arrived in the last hour. */
export type ClaimedBatches = BatchProgress &
  Pick<
    CoreInstanceRow,
    | 'batch_id'
    | 'attempt_id'
    | 'attempts'
    | 'attempted_at'
    | 'attempt_offset_ms'
    | 'attempt_floor'
    | 'received_minutes'
  >;

/** The newest batch, and how far the one after it is. */
export type NewestBatch = Pick<
  ClaimedBatches,
  'sequence' | 'batch_id' | 'applied_sequence' | 'applied_items' | 'attempt_id' | 'last_result'
>;

/** Who applies a batch. */
export interface Claim {
  readonly coreInstanceID: string;
  /** The process. */
  readonly holder: string;
}

/** An agent of which a site speaks. */
export interface SiteAgent {
  readonly id: string;
  readonly deleted_at: number | null;
  /** Number of its tokens that are valid. */
  readonly tokens: number;
}

/** A batch that is to be applied. */
interface ClaimedBatch {
  readonly sequence: number;
  readonly id: string | null;
  /** How far the clock of the site is ahead, in milliseconds. */
  readonly offset: number;
}

/** A batch a second for 30 years. Whoever has the token for a while must not use up the numbers. */
export const maxGap = 1_000_000_000;
/** Maximum time between two commits of a batch. */
const claimMilliseconds = 60_000;
/** Of two replicas. A batch that was tried later has its times of a clock that was wrong, so that they are not kept. */
const maxClockDifferenceMilliseconds = 60_000;

/**
 * Notes that the core instance was heard, and takes the turn to apply its batches. A batch that is tried for the first time gets its times. Undefined:
 * another replica has the turn, or it is deleted.
 */
export async function claimBatches(
  db: Kysely<Tables>,
  engine: Engine,
  { coreInstanceID, holder }: Claim,
  { sequence, id, offset }: ClaimedBatch,
  now: number,
): Promise<ClaimedBatches | undefined> {
  const isUnapplied = sql`${sequence} > sequence and ${sequence} <= sequence + ${maxGap}`;
  const isTried = sql`(applied_sequence = ${sequence} and coalesce(attempt_id = ${id}, true)
    and (applied_items > 0 or attempted_at <= ${now + maxClockDifferenceMilliseconds}))`;
  const atFirst = <Value>(column: keyof ClaimedBatches, value: RawBuilder<Value> | Value) =>
    sql<Value>`case when ${isUnapplied} and not ${isTried} then ${value} else ${sql.ref(column)} end`;
  let query = db
    .updateTable('core_instances')
    .set({
      claimed_by: holder,
      claimed_until: now + claimMilliseconds,
      last_contact_at: now,
      // It is heard, but until the batch is applied, nothing has arrived since it was heard before.
      oldest_spooled_at: sql<number | null>`coalesce(oldest_spooled_at, last_contact_at)`,
      applied_sequence: atFirst('applied_sequence', sequence),
      applied_items: atFirst('applied_items', 0),
      // Of the batch before the one that is tried; what was applied of another one with this number is of nobody.
      last_result: sql<
        string | null
      >`case when applied_items > 0 then ${atFirst<string | null>('last_result', null)} else last_result end`,
      attempt_id: atFirst('attempt_id', id),
      attempts: sql<number>`case when ${isTried} then attempts + 1 else ${atFirst('attempts', 1)} end`,
      attempted_at: atFirst('attempted_at', now),
      attempt_offset_ms: atFirst('attempt_offset_ms', offset),
      // What comes later happened later, also if this batch took less time on its way than the one before.
      attempt_floor: atFirst(
        'attempt_floor',
        sql<number>`case when newest_report_at >= ${now} then ${now} else coalesce(newest_report_at, 0) + 1 end`,
      ),
    })
    .where('id', '=', coreInstanceID)
    .where('deleted_at', 'is', null);
  // On SQLite, this process is the only one: another holder was killed.
  if (engine === 'postgres') {
    query = query.where((eb) =>
      eb.or([
        eb('claimed_by', 'is', null),
        eb('claimed_by', '=', holder),
        eb('claimed_until', '<=', now),
        // The clock was set back.
        eb('claimed_until', '>', now + claimMilliseconds),
      ]),
    );
  }
  return query
    .returning([
      'sequence',
      'applied_sequence',
      'applied_items',
      'newest_report_at',
      'last_result',
      'batch_id',
      'attempt_id',
      'attempts',
      'attempted_at',
      'attempt_offset_ms',
      'attempt_floor',
      'received_minutes',
    ])
    .executeTakeFirst();
}

/** Notes that the core instance was heard without a batch, by which nothing of what waits there has arrived. Undefined: it is deleted. */
export function noteContact(
  db: Kysely<Tables>,
  coreInstanceID: string,
  now: number,
): Promise<NewestBatch | undefined> {
  return db
    .updateTable('core_instances')
    .set({
      last_contact_at: now,
      oldest_spooled_at: sql<number | null>`coalesce(oldest_spooled_at, last_contact_at)`,
    })
    .where('id', '=', coreInstanceID)
    .where('deleted_at', 'is', null)
    .returning(['sequence', 'batch_id', 'applied_sequence', 'applied_items', 'attempt_id', 'last_result'])
    .executeTakeFirst();
}

/** Ends the turn. */
export async function releaseBatches(db: Kysely<Tables>, { coreInstanceID, holder }: Claim): Promise<void> {
  await db
    .updateTable('core_instances')
    .set({ claimed_by: null })
    .where('id', '=', coreInstanceID)
    .where('claimed_by', '=', holder)
    .execute();
}

/** The id of a number that means no batch. */
export const noBatch = '00000000-0000-0000-0000-000000000000';

/** Ends the turn, and uses up the next number, so that it means no batch, also if one was tried with it. */
export async function skipNumber(
  db: Kysely<Tables>,
  { coreInstanceID, holder }: Claim,
  newest: number,
): Promise<void> {
  await db
    .updateTable('core_instances')
    .set({
      claimed_by: null,
      sequence: newest + 1,
      batch_id: noBatch,
      applied_sequence: 0,
      applied_items: 0,
      last_result: null,
    })
    .where('id', '=', coreInstanceID)
    .where('claimed_by', '=', holder)
    .where('sequence', '=', newest)
    .execute();
}

/** Stores how far it is applied by now, if it was as far as expected. Returns false if somebody else has gone on. */
export async function noteProgress(
  trx: Kysely<Tables>,
  { coreInstanceID, holder }: Claim,
  before: BatchProgress,
  after: UpdateObject<Tables, 'core_instances'>,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('core_instances')
    .set({ ...after, claimed_until: now + claimMilliseconds })
    .where('id', '=', coreInstanceID)
    .where('claimed_by', '=', holder)
    .where('deleted_at', 'is', null)
    .where('sequence', '=', before.sequence)
    .where('applied_sequence', '=', before.applied_sequence)
    .where('applied_items', '=', before.applied_items)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function moreRefused(count: number): Pick<UpdateObject<Tables, 'core_instances'>, 'refused_count'> {
  return { refused_count: sql<number>`refused_count + ${count}` };
}

export async function listSiteAgents(
  db: Kysely<Tables>,
  engine: Engine,
  projectID: string,
  ids: readonly string[],
): Promise<SiteAgent[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('agents')
    .where('agents.project_id', '=', projectID)
    .where(isAnyID(engine, sql.ref('agents.id'), ids))
    .select(['agents.id', 'agents.deleted_at'])
    .select(
      sql<number>`(
        select count(*) from agent_tokens
        left join project_tokens as maker on maker.id = agent_tokens.created_with
        where agent_tokens.agent_id = agents.id and coalesce(maker.ends_agents, 0) = 0)`.as('tokens'),
    )
    .execute();
}

/** By alias. */
export async function listAliases(
  db: Kysely<Tables>,
  engine: Engine,
  projectID: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('agent_aliases')
    .select(['alias_id', 'agent_id'])
    .where('project_id', '=', projectID)
    .where(isAnyID(engine, sql.ref('alias_id'), ids))
    .execute();
  return new Map(rows.map((row) => [row.alias_id, row.agent_id]));
}

export async function insertAlias(
  db: Kysely<Tables>,
  row: Selectable<Tables['agent_aliases']>,
): Promise<void> {
  await db
    .insertInto('agent_aliases')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'alias_id']).doUpdateSet({ agent_id: row.agent_id }),
    )
    .execute();
}

/** False if it is deleted. */
export async function isThere(db: Kysely<Tables>, coreInstanceID: string): Promise<boolean> {
  const row = await db
    .selectFrom('core_instances')
    .select('id')
    .where('id', '=', coreInstanceID)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}
