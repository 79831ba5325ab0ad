import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../foundation/database/tables.ts';

export interface ProjectFigures {
  /** `other`: all projects that have no row of their own. */
  readonly project: string;
  readonly healthy: number;
  readonly unhealthy: number;
  readonly offline: number;
  readonly stopped: number;
  readonly unknown: number;
  readonly current: number;
  readonly superseded: number;
  readonly groups: number;
}

/** The counts of the projects with the most agents, and of all others together. It reads one row of each project. */
export async function listFigures(db: Kysely<Tables>, maxProjects: number): Promise<ProjectFigures[]> {
  const { rows } = await sql<ProjectFigures>`
    select case when place <= ${maxProjects} then id else 'other' end as project,
      cast(sum(healthy_agents) as ${integer}) as healthy, cast(sum(unhealthy_agents) as ${integer}) as unhealthy,
      cast(sum(offline_agents) as ${integer}) as offline, cast(sum(stopped_agents) as ${integer}) as stopped,
      cast(sum(unknown_agents) as ${integer}) as unknown,
      cast(sum(current_errors) as ${integer}) as current, cast(sum(superseded_errors) as ${integer}) as superseded,
      cast(sum(open_groups) as ${integer}) as groups
    from (
      select counts.*, cast(projects.id as text) as id, row_number() over (
        order by healthy_agents + unhealthy_agents + offline_agents + stopped_agents + unknown_agents desc, projects.id
      ) as place
      from projects join project_counts as counts on counts.project_id = projects.id
      where projects.deleted_at is null
    ) as placed
    group by 1 order by 1`.execute(db);
  return rows;
}

const integer = sql`bigint`;

/** By project, its tokens that expire in a span of time. */
export async function countExpiringTokens(
  db: Kysely<Tables>,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ project_id: string; tokens: number }>`
    select project_id, count(*) as tokens from project_tokens
    where revoked_at is null and expires_at > ${from} and expires_at <= ${until} group by project_id
  `.execute(db);
  return new Map(rows.map((row) => [row.project_id, row.tokens]));
}
