import { fleetRejectedAfterSeconds } from '@muster/contract';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { isAnyOf } from '../../foundation/database/text-matching.ts';
import { deliveredUntil } from './fleet-agent-store.ts';

/** How many agents of a fleet are in which state, as they were last counted. */
export interface FleetCounts {
  readonly active: number;
  readonly inactive: number;
  readonly errors: number;
}

/** By the id of the fleet. */
export async function countAgents(
  { engine, read }: Pick<Database, 'engine' | 'read'>,
  projectID: string,
  fleetIDs: readonly string[],
): Promise<ReadonlyMap<string, FleetCounts>> {
  if (fleetIDs.length === 0) return new Map();
  const { rows } = await sql<FleetCounts & { readonly id: string }>`
    select agents.fleet_id as id,
      ${sumOf("status is null or status in ('healthy', 'unhealthy')")} as active,
      ${sumOf("status in ('offline', 'stopped', 'unknown')")} as inactive,
      ${sumOf("status = 'unhealthy'")} as errors
    from agents ${joinStates}
    where agents.project_id = ${projectID} and agents.deleted_at is null
      and ${isAnyOf(engine, sql.ref('agents.fleet_id'), fleetIDs)}
    group by agents.fleet_id`.execute(read);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

/** How many agents run what they are to run. @param fleetID absent: of all fleets of the project */
export async function countStatus(db: Kysely<Tables>, engine: Engine, projectID: string, fleetID?: string) {
  const isUnhealthy = `coalesce(status, 'healthy') <> 'healthy' or (${isRejected})`;
  const isCurrent = 'publications.version_id = fleets.current_version_id';
  const ofFleet = fleetID === undefined ? sql`` : sql`and fleets.id = ${fleetID}`;
  const { rows } = await sql<{ managed: number; healthy: number; inProgress: number; unhealthy: number }>`
    select ${sumOf('1 = 1')} as managed,
      ${sumOf(`not coalesce(${isUnhealthy}, false) and ${isCurrent}`)} as healthy,
      ${sumOf(`not coalesce(${isUnhealthy}, false) and not coalesce(${isCurrent}, false)`)} as "inProgress",
      ${sumOf(isUnhealthy)} as unhealthy
    ${fromFleets(engine)}
    where fleets.project_id = ${projectID} and fleets.deleted_at is null ${ofFleet}`.execute(db);
  const [counts] = rows;
  return counts ?? { managed: 0, healthy: 0, inProgress: 0, unhealthy: 0 };
}

interface VersionCount {
  readonly fleetID: string;
  readonly versionID: string | null;
  readonly number: number | null;
  readonly isDrifted: number;
  readonly agentsCount: number;
  readonly unhealthyCount: number;
  readonly rejectedCount: number;
}

/** How many agents run which version, in the order of fleets and versions. @param fleetID absent: of all fleets of the project */
export async function countVersions(
  db: Kysely<Tables>,
  engine: Engine,
  { projectID, fleetID, limit }: { projectID: string; fleetID: string | undefined; limit: number },
): Promise<VersionCount[]> {
  const ofFleet = fleetID === undefined ? sql`` : sql`and fleets.id = ${fleetID}`;
  const { rows } = await sql<VersionCount>`
    select fleets.id as "fleetID", versions.id as "versionID", versions.number,
      case when versions.learned_structure <> rows.structure then 1 else 0 end as "isDrifted",
      ${sumOf('1 = 1')} as "agentsCount",
      ${sumOf("status = 'unhealthy'")} as "unhealthyCount",
      ${sumOf(isRejected)} as "rejectedCount"
    ${fromFleets(engine)}
    left join fleet_versions as versions on versions.id = publications.version_id and versions.fleet_id = fleets.id
    where fleets.project_id = ${projectID} and fleets.deleted_at is null ${ofFleet}
    group by 1, 2, 3, 4 order by 1, 3, 4 limit ${limit}`.execute(db);
  return rows;
}

const isRejected = `(rows.applied_seconds is null or rows.applied_seconds <> rows.downloaded_seconds)
  and rows.downloaded_seconds = rows.offered_seconds
  and signs.seen_at - rows.downloaded_at >= ${fleetRejectedAfterSeconds * 1_000}
  and coalesce(${deliveredUntil}, signs.seen_at) - rows.downloaded_at >= ${fleetRejectedAfterSeconds * 1_000}`;

/** Each agent of a fleet, with what it runs, when it was last heard, and its status. */
function fromFleets(engine: Engine) {
  const asText = engine === 'sqlite' ? sql`fleets.id` : sql`fleets.id::text`;
  return sql`from fleets
    join agents on agents.project_id = fleets.project_id and agents.fleet_id = ${asText} and agents.deleted_at is null
    left join fleet_agents as rows on rows.project_id = agents.project_id and rows.agent_id = agents.id
      and rows.fleet_id = fleets.id
    left join agent_signs as signs on signs.project_id = agents.project_id and signs.agent_id = agents.id
    left join core_instances on core_instances.id = signs.core_instance_id and core_instances.deleted_at is null
    left join fleet_publications as publications
      on publications.project_id = agents.project_id and publications.seconds = rows.applied_seconds
    ${joinStates}`;
}

const joinStates = sql`left join agent_states as states
  on states.project_id = agents.project_id and states.agent_id = agents.id`;

function sumOf(condition: string) {
  return sql<number>`cast(coalesce(sum(case when ${sql.raw(condition)} then 1 else 0 end), 0) as bigint)`;
}
