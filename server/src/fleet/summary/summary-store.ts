import type { AgentStatus } from '@muster/contract';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../foundation/database/tables.ts';

export interface ProjectCounts {
  readonly agents: Readonly<Record<AgentStatus, number>>;
  readonly currentErrors: number;
  readonly supersededErrors: number;
  readonly openGroups: number;
}

export interface VersionCount {
  /** Empty: the agents did not say. */
  readonly type: string;
  readonly version: string;
  readonly agents: number;
  /** The agents of all versions, also of those that are not listed. */
  readonly ofAll: number;
}

/** The counts of a project, which the consumer of changes keeps. */
export async function readProjectCounts(db: Kysely<Tables>, projectID: string): Promise<ProjectCounts> {
  const { rows } = await sql<Record<string, number>>`
    select * from project_counts where project_id = ${projectID}`.execute(db);
  const [row = {}] = rows;
  const count = (column: string): number => row[column] ?? 0;
  return {
    agents: {
      healthy: count('healthy_agents'),
      unhealthy: count('unhealthy_agents'),
      offline: count('offline_agents'),
      stopped: count('stopped_agents'),
      unknown: count('unknown_agents'),
    },
    currentErrors: count('current_errors'),
    supersededErrors: count('superseded_errors'),
    openGroups: count('open_groups'),
  };
}

/** The versions with the most agents. */
export async function listVersions(
  db: Kysely<Tables>,
  projectID: string,
  limit: number,
): Promise<VersionCount[]> {
  const { rows } = await sql<VersionCount>`
    select type, version, agents, cast(sum(agents) over () as integer) as "ofAll" from agent_version_counts
    where project_id = ${projectID} and agents > 0
    order by agents desc, type, version limit ${limit}`.execute(db);
  return rows;
}

/** How many groups were first seen at these times or later. */
export async function countNewGroups(
  db: Kysely<Tables>,
  projectID: string,
  { hourAgo, dayAgo }: { readonly hourAgo: number; readonly dayAgo: number },
): Promise<{ readonly ofHour: number; readonly ofDay: number }> {
  const { rows } = await sql<{ ofHour: number; ofDay: number }>`
    select count(case when first_seen_at >= ${hourAgo} then 1 end) as "ofHour", count(*) as "ofDay"
    from agent_error_groups where project_id = ${projectID} and first_seen_at >= ${dayAgo}`.execute(db);
  return rows[0] ?? { ofHour: 0, ofDay: 0 };
}
