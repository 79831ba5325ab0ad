import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { GatheredUse } from '../../foundation/credentials/token-use.ts';
import type { Database } from '../../foundation/database/database.ts';
import { deleteInPortions, isInPortion } from '../../foundation/database/delete-in-portions.ts';
import { writeLastUsed } from '../../foundation/database/last-used.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { type RowsStatement, writeRows } from '../../foundation/database/write-rows.ts';

const addRequests: RowsStatement = {
  sqlite: `insert into token_days (token_id, day, requests) values (?1, ?2, ?3)
    on conflict (token_id, day) do update set requests = token_days.requests + excluded.requests`,
  // In the order of the key, so that replicas that count the same tokens cannot deadlock.
  postgres: `insert into token_days (token_id, day, requests)
    select * from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as t (token_id, day, requests) order by 1, 2
    on conflict (token_id, day) do update set requests = token_days.requests + excluded.requests`,
};

const origins = {
  project_tokens: originStatements('token_origins', 'token_id', 'uuid'),
  earlier_secrets: originStatements('earlier_secret_origins', 'digest', 'text'),
};

const maxDays = 30;

/** Records uses by the id of the token. The counts come last, so that a failure before does not count twice. */
export async function writeUses(database: Database, uses: ReadonlyMap<string, GatheredUse>): Promise<void> {
  await writeLastUses(database, 'project_tokens', uses);
  await writeRows(
    database,
    addRequests,
    [...uses].flatMap(([id, { days }]) => [...days].map(([day, requests]) => [id, day, requests])),
  );
}

/** Records by whom and when credentials were last used: by the id of a token, or by the digest of a value from before a rotation. */
export async function writeLastUses(
  database: Database,
  table: keyof typeof origins,
  uses: ReadonlyMap<string, GatheredUse>,
): Promise<void> {
  const all = [...uses];
  await writeLastUsed(database, table, new Map(all.map(([key, { lastUsedAt }]) => [key, lastUsedAt])));
  const { put, forget } = origins[table];
  const rows = all.flatMap(([key, { addresses, userAgents }]) => [
    ...[...addresses].map(([text, at]) => [key, 'address', text, at] as const),
    ...[...userAgents].map(([text, at]) => [key, 'user_agent', text, at] as const),
  ]);
  await writeRows(database, put, rows);
  await writeRows(
    database,
    forget,
    rows.map(([key, kind]) => [key, kind]),
  );
}

/** What is recorded of the uses of a token: the last 30 days with a request, and the last five origins of each kind, newest first. */
export async function findUses(db: Kysely<Tables>, tokenID: string) {
  const days = await db
    .selectFrom('token_days')
    .select(['day', 'requests'])
    .where('token_id', '=', tokenID)
    .orderBy('day', 'desc')
    .limit(maxDays)
    .execute();
  const rows = await db
    .selectFrom('token_origins')
    .select(['kind', 'origin', 'last_used_at'])
    .where('token_id', '=', tokenID)
    .orderBy('last_used_at', 'desc')
    .orderBy('origin')
    .execute();
  return { days, ...byKind(rows) };
}

/** Who last used values from before rotations: the last five origins of each kind, newest first, by the digest of the value. */
export async function findOriginsOfEarlier(
  db: Kysely<Tables>,
  digests: readonly string[],
): Promise<ReadonlyMap<string, Origins>> {
  if (digests.length === 0) return new Map();
  const rows = await db
    .selectFrom('earlier_secret_origins')
    .selectAll()
    .where('digest', 'in', digests)
    .orderBy('last_used_at', 'desc')
    .orderBy('origin')
    .execute();
  return new Map(digests.map((digest) => [digest, byKind(rows.filter((row) => row.digest === digest))]));
}

export interface Origins {
  readonly addresses: readonly OriginRow[];
  readonly userAgents: readonly OriginRow[];
}

interface OriginRow {
  readonly kind: string;
  readonly origin: string;
  readonly last_used_at: number;
}

function byKind(rows: readonly OriginRow[]): Origins {
  const ofKind = (kind: string) => rows.filter((one) => one.kind === kind).slice(0, 5);
  return { addresses: ofKind('address'), userAgents: ofKind('user_agent') };
}

/** How many agents stop when a token ends. */
export async function countStoppingAgents(db: Kysely<Tables>, tokenID: string): Promise<number> {
  const { count } = await db
    .selectFrom('agents')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('deleted_at', 'is', null)
    .where('reported_with', '=', tokenID)
    .where((eb) => eb.not(hasOwnToken(eb)))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Agents that last registered, or last reported by machine id, with a token: those that stop when it ends, then the others, each newest first. */
export async function listAgentsOfToken(db: Kysely<Tables>, tokenID: string, limit: number) {
  const stopping = await selectAgents(db, limit)
    .where('agents.reported_with', '=', tokenID)
    .where((eb) => eb.not(hasOwnToken(eb)))
    .execute();
  if (stopping.length === limit) return stopping;
  const others = await selectAgents(db, limit - stopping.length)
    .where((eb) =>
      eb.or([
        eb.and([eb('agents.reported_with', '=', tokenID), hasOwnToken(eb)]),
        eb.and([
          eb('agents.registered_with', '=', tokenID),
          eb.or([eb('agents.reported_with', 'is', null), eb('agents.reported_with', '!=', tokenID)]),
        ]),
      ]),
    )
    .execute();
  return [...stopping, ...others];
}

function selectAgents(db: Kysely<Tables>, limit: number) {
  return db
    .selectFrom('agents')
    .leftJoin('agent_signs', (join) =>
      join
        .onRef('agent_signs.project_id', '=', 'agents.project_id')
        .onRef('agent_signs.agent_id', '=', 'agents.id'),
    )
    .select(['agents.id', 'agents.name', 'agents.registered_with', 'agents.reported_with'])
    .select(
      sql<number>`case when coalesce(agent_signs.seen_at, 0) > agents.last_seen_at
        then agent_signs.seen_at else agents.last_seen_at end`.as('seen_at'),
    )
    .select((eb) => hasOwnToken(eb).as('has_own_token'))
    .where('agents.deleted_at', 'is', null)
    .orderBy('agents.id', 'desc')
    .limit(limit);
}

/** Whether an agent goes on with a token of its own. */
function hasOwnToken(eb: ExpressionBuilder<Tables, 'agents'>) {
  return eb.exists(
    eb
      .selectFrom('agent_tokens')
      .select('agent_tokens.agent_id')
      .whereRef('agent_tokens.agent_id', '=', 'agents.id'),
  );
}

export async function deleteOldDays(
  { engine, write }: Database,
  closing: AbortSignal,
  beforeDay: number,
): Promise<void> {
  const isOld = sql`day < ${beforeDay}`;
  await deleteInPortions(closing, async (limit) => {
    const isInThis = isInPortion(engine, 'token_days', ['token_id', 'day'], isOld, limit);
    return Number((await write.deleteFrom('token_days').where(isInThis).executeTakeFirst()).numDeletedRows);
  });
}

/** `forget` keeps the last five of each kind. Rows that another replica has locked wait for the next time. */
function originStatements(
  table: 'token_origins' | 'earlier_secret_origins',
  key: string,
  type: 'uuid' | 'text',
): { readonly put: RowsStatement; readonly forget: RowsStatement } {
  return {
    put: {
      sqlite: `insert into ${table} (${key}, kind, origin, last_used_at) values (?1, ?2, ?3, ?4)
        on conflict (${key}, kind, origin) do update
        set last_used_at = max(${table}.last_used_at, excluded.last_used_at)`,
      postgres: `insert into ${table} (${key}, kind, origin, last_used_at)
        select * from unnest($1::${type}[], $2::text[], $3::text[], $4::bigint[]) as t (${key}, kind, origin, at)
        order by 1, 2, 3
        on conflict (${key}, kind, origin) do update
        set last_used_at = greatest(${table}.last_used_at, excluded.last_used_at)`,
    },
    forget: {
      sqlite: `delete from ${table} where ${key} = ?1 and kind = ?2 and origin not in (
        select origin from ${table} where ${key} = ?1 and kind = ?2
        order by last_used_at desc, origin limit 5)`,
      postgres: `
        with input as (select distinct * from unnest($1::${type}[], $2::text[]) as t (${key}, kind)),
        surplus as (
          select one.${key}, one.kind, one.origin from input cross join lateral (
            select * from ${table} where ${table}.${key} = input.${key} and ${table}.kind = input.kind
            order by last_used_at desc, origin offset 5
          ) as one
        ), locked as (
          select ${key}, kind, origin from ${table}
          where (${key}, kind, origin) in (select * from surplus) for update skip locked
        )
        delete from ${table} where (${key}, kind, origin) in (select * from locked)`,
    },
  };
}
