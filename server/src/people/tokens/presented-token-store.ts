import type { Database } from '../../foundation/database/database.ts';
import { type PreparedStatement, readPrepared } from '../../foundation/database/prepared-statement.ts';
import type { GrantColumns, LimitColumns, TokenRow } from './token-store.ts';

/** A token that was found by one of its values, with the grants of itself and its ancestors: itself first, then each one's parent. */
export interface PresentedToken {
  readonly row: Pick<TokenRow, 'id' | 'project_id' | 'name' | 'expires_at' | 'revoked_at'>;
  readonly lineage: readonly (GrantColumns & LimitColumns)[];
  /** The value that was presented. */
  readonly value: PresentedValue;
}

interface PresentedValue {
  readonly digest: string;
  readonly number: number;
  /** True if it is from before a rotation. */
  readonly isEarlier: boolean;
  /** When it ends, if a rotation has decided that. */
  readonly endsAt: number | null;
  /** True if its first use ends earlier values, or the repetition of an answer. */
  readonly isAwaited: boolean;
}

/** One row for each token and each of its ancestors. */
type PresentedRow = PresentedToken['row'] & {
  readonly presented_digest: string;
  readonly presented_number: number;
  readonly is_earlier: number;
  readonly value_ends_at: number | null;
  readonly is_awaited: number;
  readonly granted: string;
  readonly granted_own: string | null;
  readonly limiting_id: string;
  readonly limiting_networks: string | null;
  readonly limiting_reports: number | null;
};

/** With one digest, PostgreSQL knows that it finds one row, and keeps its plan. */
const oneDigest: PreparedStatement = {
  name: 'find-presented-token',
  sqlite: statement('digest = ?1', '?2'),
  postgres: statement('digest = $1', '$2::bigint'),
};

const severalDigests: PreparedStatement = {
  name: 'list-presented-tokens',
  sqlite: statement('digest in (select value from json_each(?1))', '?2'),
  postgres: statement('digest = any($1::text[])', '$2::bigint'),
};

/**
 * Tokens of existing projects by the digests of their values, with their lineage from the same snapshot, so that no request is admitted by a
 * combination that never existed.
 */
export async function listTokensByDigest(
  database: Database,
  digests: readonly string[],
  now: number,
): Promise<PresentedToken[]> {
  const [digest] = digests;
  if (digest === undefined) return [];
  const rows =
    digests.length === 1
      ? await readPrepared<PresentedRow>(database, oneDigest, [digest, now])
      : await readPrepared<PresentedRow>(database, severalDigests, [
          database.engine === 'sqlite' ? JSON.stringify(digests) : digests,
          now,
        ]);
  return groupByValue(rows);
}

// Materialized, so that no plan begins with the projects, as PostgreSQL may choose before ANALYZE.
function statement(isPresented: string, now: string): string {
  return `
    with recursive presented (digest, token_id, number, is_earlier, ends_at) as materialized (
      select digest, id, secret_number, 0, cast(null as bigint) from project_tokens where ${isPresented}
      union all
      select digest, token_id, number, 1, ends_at from earlier_secrets where ${isPresented}
    ), lineage (token_id, id, parent_id, permissions, own_permissions, networks, reports, generation) as (
      select project_tokens.id, project_tokens.id, parent_id, permissions, own_permissions,
        allowed_networks, reports_per_second, 0
      from project_tokens
      where id in (select token_id from presented)
      union all
      select lineage.token_id, parent.id, parent.parent_id, parent.permissions, parent.own_permissions,
        parent.allowed_networks, parent.reports_per_second, lineage.generation + 1
      from lineage join project_tokens as parent on parent.id = lineage.parent_id
    )
    select project_tokens.id, project_tokens.project_id, project_tokens.name, project_tokens.expires_at,
      project_tokens.revoked_at,
      presented.digest as presented_digest, presented.number as presented_number, presented.is_earlier,
      presented.ends_at as value_ends_at, lineage.permissions as granted, lineage.own_permissions as granted_own,
      lineage.id as limiting_id, lineage.networks as limiting_networks, lineage.reports as limiting_reports,
      case when exists (
        select 1 from earlier_secrets as awaiting
        where awaiting.token_id = presented.token_id and awaiting.number < presented.number
          and awaiting.retires_on_use = 1 and (awaiting.ends_at is null or awaiting.ends_at > ${now})
      ) or exists (
        select 1 from rotations
        where rotations.token_id = presented.token_id and rotations.number = presented.number
          and rotations.salt is not null
      ) then 1 else 0 end as is_awaited
    from presented
    join project_tokens on project_tokens.id = presented.token_id
    join projects on projects.id = project_tokens.project_id
    join lineage on lineage.token_id = presented.token_id
    where projects.deleted_at is null
    order by lineage.generation`;
}

function groupByValue(rows: readonly PresentedRow[]): PresentedToken[] {
  const found = new Map<string, PresentedToken & { readonly lineage: (GrantColumns & LimitColumns)[] }>();
  for (const one of rows) {
    const { presented_digest: digest, presented_number: number, value_ends_at: endsAt } = one;
    const { id, project_id, name, expires_at, revoked_at } = one;
    const known = found.get(digest) ?? {
      row: { id, project_id, name, expires_at, revoked_at },
      lineage: [],
      value: { digest, number, isEarlier: one.is_earlier === 1, endsAt, isAwaited: one.is_awaited === 1 },
    };
    known.lineage.push({
      id: one.limiting_id,
      permissions: one.granted,
      own_permissions: one.granted_own,
      allowed_networks: one.limiting_networks,
      reports_per_second: one.limiting_reports,
    });
    found.set(digest, known);
  }
  return [...found.values()];
}
