import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../../foundation/database/tables.ts';

/** Removes up to `limit` rows of each kind: of deleted agents and projects, and of rollouts and secrets that ended before a time. Returns how many. */
export async function deleteFleetRows(db: Kysely<Tables>, before: number, limit: number): Promise<number> {
  const counts = await Promise.all(
    statements(before, limit).map(async (statement) =>
      Number((await statement.execute(db)).numAffectedRows ?? 0n),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

function statements(before: number, limit: number): readonly RawBuilder<unknown>[] {
  const isDeleted = (project: string) =>
    sql.raw(`exists (select 1 from projects where projects.id = ${project} and projects.deleted_at > 0)`);
  return [
    sql`delete from fleet_agents where (fleet_id, agent_id) in (
      select fleet_id, agent_id from fleet_agents where ${isDeleted('fleet_agents.project_id')} limit ${limit})`,
    sql`delete from fleet_variables where id in (
      select fleet_variables.id from fleet_variables
      where ${isDeleted('fleet_variables.project_id')} or exists (
        select 1 from fleets where fleets.id = fleet_variables.fleet_id and fleets.deleted_at is not null
      ) or (subject_kind = 'agent' and exists (
        select 1 from agents where agents.project_id = fleet_variables.project_id
          and cast(agents.id as text) = subject and agents.deleted_at is not null))
      limit ${limit})`,
    sql`delete from fleet_secrets where id in (
      select id from fleet_secrets where ended_at < ${before} or ${isDeleted('fleet_secrets.project_id')} or exists (
        select 1 from fleets where fleets.id = fleet_secrets.fleet_id and fleets.deleted_at < ${before})
      limit ${limit})`,
    sql`delete from fleet_contents where (project_id, digest) in (
      select project_id, digest from fleet_contents where ${isDeleted('project_id')} limit ${limit})`,
    sql`delete from fleet_publications where (project_id, seconds) in (
      select project_id, seconds from fleet_publications where ${isDeleted('project_id')} limit ${limit})`,
    sql`delete from fleet_files where id in (
      select fleet_files.id from fleet_files join fleets on fleets.id = fleet_files.fleet_id
      where ${isDeleted('fleets.project_id')} limit ${limit})`,
    sql`delete from fleet_versions where id in (
      select id from fleet_versions where ${isDeleted('project_id')} limit ${limit})`,
    sql`delete from rollout_agents where (rollout_id, agent_id) in (
      select rollout_id, rollout_agents.agent_id from rollouts
      join rollout_agents on rollout_id = rollouts.id join fleets on fleets.id = rollouts.fleet_id
      where ended_at < ${before} or fleets.deleted_at is not null or ${isDeleted('rollouts.project_id')} limit ${limit})`,
    sql`delete from rollouts where id in (
      select id from rollouts where ${isDeleted('project_id')}
        and not exists (select 1 from rollout_agents where rollout_id = rollouts.id) limit ${limit})`,
    // Their files are found through them.
    sql`delete from fleets where id in (
      select id from fleets where ${isDeleted('project_id')}
        and not exists (select 1 from fleet_files where fleet_files.fleet_id = fleets.id)
        and not exists (select 1 from rollouts where rollouts.fleet_id = fleets.id) limit ${limit})`,
  ];
}
