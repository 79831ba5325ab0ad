import { type Kysely, sql } from 'kysely';
import type { Tables } from '../database/tables.ts';

export interface ErrorCounts {
  readonly currentErrors: number;
  readonly supersededErrors: number;
  readonly openGroups: number;
  readonly newGroupsOfHour: number;
  readonly newGroupsOfDay: number;
}

/** The counts of the open errors and the groups of a project. */
export async function countErrors(
  db: Kysely<Tables>,
  projectID: string,
  { hourAgo, dayAgo }: { readonly hourAgo: number; readonly dayAgo: number },
): Promise<ErrorCounts> {
  const row = await db
    .selectFrom('agent_error_groups')
    .select([
      sql<number | string | null>`sum(current_errors)`.as('currentErrors'),
      sql<number | string | null>`sum(superseded_errors)`.as('supersededErrors'),
      sql<number>`count(case when current_errors > 0 then 1 end)`.as('openGroups'),
      sql<number>`count(case when first_seen_at >= ${hourAgo} then 1 end)`.as('newGroupsOfHour'),
      sql<number>`count(case when first_seen_at >= ${dayAgo} then 1 end)`.as('newGroupsOfDay'),
    ])
    .where('project_id', '=', projectID)
    .executeTakeFirstOrThrow();
  return {
    ...row,
    currentErrors: Number(row.currentErrors ?? 0),
    supersededErrors: Number(row.supersededErrors ?? 0),
  };
}
