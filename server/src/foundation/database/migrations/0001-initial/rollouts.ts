import { type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from '../column-types.ts';

/** Versions on their way to the agents of fleets. */
export function rolloutTables(engine: Engine): readonly RawBuilder<unknown>[] {
  const { id, text, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  return [
    sql`create table rollouts (
      id ${id} not null primary key,
      project_id ${id} not null,
      fleet_id ${id} not null,
      from_version_id ${id} not null,
      to_version_id ${id} not null,
      to_seconds ${integer} not null,
      back_seconds ${integer},
      stages ${text} not null,
      on_failure ${text} not null,
      approval ${text} not null,
      approvals ${text} not null,
      max_per_minute ${integer},
      despite_freeze ${integer} not null,
      reason ${text} not null,
      state ${text} not null,
      verdict ${text},
      evidence ${text},
      history ${text} not null,
      stage ${integer} not null,
      stage_started_at ${integer} not null,
      stage_agents ${integer} not null,
      unseen_ms ${integer} not null,
      looked_at ${integer} not null,
      held_until ${integer},
      held_ms ${integer} not null,
      shared_given ${integer} not null,
      revision ${integer} not null,
      started_at ${integer} not null,
      started_by_kind ${text} not null,
      started_by_id ${id},
      started_by_name ${text},
      ended_at ${integer}
    ) ${options}`,
    sql`create index rollouts_by_project on rollouts (project_id, id)`,
    sql`create index rollouts_by_fleet on rollouts (fleet_id, id)`,
    // The few that somebody has to look at.
    sql`create index rollouts_open on rollouts (id) where state in ('running', 'waiting', 'reverting')`,

    // Agents of the last stage need no row: it takes all that are left, and those that come. They have one if they get the version at a pace.
    sql`create table rollout_agents (
      rollout_id ${id} not null,
      agent_id ${id} not null,
      stage ${integer} not null,
      position ${integer} not null,
      primary key (rollout_id, agent_id)
    ) ${options}`,
  ];
}
