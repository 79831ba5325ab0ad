import { type Kysely, sql } from 'kysely';
import type { GatheredUse } from '../../foundation/credentials/token-use.ts';
import type { Database } from '../../foundation/database/database.ts';
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

const putOrigins: RowsStatement = {
  sqlite: `insert into token_origins (token_id, kind, origin, last_used_at) values (?1, ?2, ?3, ?4)
    on conflict (token_id, kind, origin) do update
    set last_used_at = max(token_origins.last_used_at, excluded.last_used_at)`,
  postgres: `insert into token_origins (token_id, kind, origin, last_used_at)
    select * from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[]) as t (token_id, kind, origin, at) order by 1, 2, 3
    on conflict (token_id, kind, origin) do update
    set last_used_at = greatest(token_origins.last_used_at, excluded.last_used_at)`,
};

/** Keeps the last five of each kind. Rows that another replica has locked wait for the next time. */
const forgetOrigins: RowsStatement = {
  sqlite: `delete from token_origins where token_id = ?1 and kind = ?2 and origin not in (
    select origin from token_origins where token_id = ?1 and kind = ?2
    order by last_used_at desc, origin limit 5)`,
  postgres: `
    with input as (select distinct * from unnest($1::uuid[], $2::text[]) as t (token_id, kind)),
    surplus as (
      select one.token_id, one.kind, one.origin from input cross join lateral (
        select * from token_origins where token_origins.token_id = input.token_id and token_origins.kind = input.kind
        order by last_used_at desc, origin offset 5
      ) as one
    ), locked as (
      select token_id, kind, origin from token_origins
      where (token_id, kind, origin) in (select * from surplus) for update skip locked
    )
    delete from token_origins where (token_id, kind, origin) in (select * from locked)`,
};

const maxDays = 30;

/** Records uses by the id of the token. The counts come last, so that a failure before does not count twice. */
export async function writeUses(database: Database, uses: ReadonlyMap<string, GatheredUse>): Promise<void> {
  const all = [...uses];
  const origins = all.flatMap(([id, { addresses, userAgents }]) => [
    ...[...addresses].map(([text, at]) => [id, 'address', text, at] as const),
    ...[...userAgents].map(([text, at]) => [id, 'user_agent', text, at] as const),
  ]);
  await writeLastUsed(
    database,
    'project_tokens',
    new Map(all.map(([id, { lastUsedAt }]) => [id, lastUsedAt])),
  );
  await writeRows(database, putOrigins, origins);
  await writeRows(
    database,
    forgetOrigins,
    origins.map(([id, kind]) => [id, kind]),
  );
  await writeRows(
    database,
    addRequests,
    all.flatMap(([id, { days }]) => [...days].map(([day, requests]) => [id, day, requests])),
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
  const origins = await db
    .selectFrom('token_origins')
    .select(['kind', 'origin', 'last_used_at'])
    .where('token_id', '=', tokenID)
    .orderBy('last_used_at', 'desc')
    .orderBy('origin')
    .execute();
  const ofKind = (kind: string) => origins.filter((one) => one.kind === kind).slice(0, 5);
  return { days, addresses: ofKind('address'), userAgents: ofKind('user_agent') };
}

/** Agents that last registered, or last reported by machine id, with a token, newest first. */
export async function listAgentsOfToken(db: Kysely<Tables>, tokenID: string, limit: number) {
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
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('agent_tokens')
            .select('agent_tokens.agent_id')
            .whereRef('agent_tokens.agent_id', '=', 'agents.id'),
        )
        .as('has_own_token'),
    )
    .where('agents.deleted_at', 'is', null)
    .where((eb) =>
      eb.or([eb('agents.registered_with', '=', tokenID), eb('agents.reported_with', '=', tokenID)]),
    )
    .orderBy('agents.id', 'desc')
    .limit(limit)
    .execute();
}

export async function deleteOldDays({ write }: Database, beforeDay: number): Promise<void> {
  await write.deleteFrom('token_days').where('day', '<', beforeDay).execute();
}
