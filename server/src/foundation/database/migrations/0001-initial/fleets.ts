import { type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from '../column-types.ts';

/** Fleets, the versions of their configurations, and which agent has which one. */
export function fleetTables(engine: Engine): readonly RawBuilder<unknown>[] {
  const { id, text, bytes, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  return [
    sql`create table fleets (
      id ${id} not null primary key,
      project_id ${id} not null,
      name ${text} not null,
      minimum_version ${text} not null,
      tags ${text} not null,
      reporting ${text} not null,
      number ${integer} not null,
      handle_key ${text} not null,
      newest_number ${integer} not null default 0,
      current_version_id ${id},
      current_seconds ${integer},
      created_at ${integer} not null,
      created_by_kind ${text} not null,
      created_by_id ${id},
      created_by_name ${text},
      updated_at ${integer} not null,
      deleted_at ${integer}
    ) ${options}`,
    sql`create unique index fleets_by_name on fleets (project_id, name) where deleted_at is null`,
    sql`create index fleets_by_project on fleets (project_id, id)`,
    sql`create unique index fleets_by_number on fleets (number)`,

    sql`create table fleet_files (
      id ${id} not null primary key,
      fleet_id ${id} not null,
      name ${text} not null,
      digest ${text} not null,
      bytes ${integer} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    ) ${options}`,
    sql`create unique index fleet_files_by_name on fleet_files (fleet_id, name)`,

    // The bytes of files, each once for a project.
    sql`create table fleet_contents (
      project_id ${id} not null,
      digest ${text} not null,
      contents ${bytes} not null,
      primary key (project_id, digest)
    ) ${options}`,

    sql`create table fleet_versions (
      id ${id} not null primary key,
      fleet_id ${id} not null,
      project_id ${id} not null,
      number ${integer} not null,
      raw_config ${text} not null,
      config_format ${text} not null,
      files ${text} not null,
      digest ${text} not null,
      note ${text},
      findings ${text} not null,
      learned_structure ${text},
      learned_text_digest ${text},
      created_at ${integer} not null,
      created_by_kind ${text} not null,
      created_by_id ${id},
      created_by_name ${text}
    ) ${options}`,
    sql`create unique index fleet_versions_by_number on fleet_versions (fleet_id, number)`,

    // The dates under which agents know versions: one clock for a project, because an agent that changes its fleet must get a later one.
    sql`create table fleet_publications (
      project_id ${id} not null,
      seconds ${integer} not null,
      fleet_id ${id} not null,
      version_id ${id} not null,
      published_at ${integer} not null,
      primary key (project_id, seconds)
    ) ${options}`,
    sql`create index fleet_publications_by_fleet on fleet_publications (fleet_id, seconds)`,

    // In the order in which each look at a rollout reads them.
    sql`create table fleet_agents (
      project_id ${id} not null,
      agent_id ${id} not null,
      fleet_id ${id} not null,
      handle ${id},
      home_fleet_id ${id},
      shift_seconds ${integer} not null default 0,
      offered_seconds ${integer},
      offered_at ${integer},
      downloaded_seconds ${integer},
      downloaded_at ${integer},
      confirmed_at ${integer},
      applied_seconds ${integer},
      structure ${text},
      values_digest ${text},
      primary key (fleet_id, agent_id)
    ) ${options}`,
    sql`create unique index fleet_agents_by_handle on fleet_agents (handle) where handle is not null`,
    sql`create unique index fleet_agents_by_agent on fleet_agents (project_id, agent_id)`,
    // Few of many: each site asks for those of its project every 15 seconds.
    sql`create index fleet_agents_moved on fleet_agents (project_id, agent_id) where home_fleet_id is not null`,

    // What variables stand for: for the fleet, for its agents with a tag, and for one of them.
    sql`create table fleet_variables (
      id ${id} not null primary key,
      project_id ${id} not null,
      fleet_id ${id} not null,
      subject_kind ${text} not null,
      subject ${text} not null,
      name ${text} not null,
      value ${text} not null,
      updated_at ${integer} not null,
      updated_by_kind ${text} not null,
      updated_by_id ${id},
      updated_by_name ${text}
    ) ${options}`,
    sql`create unique index fleet_variables_by_subject on fleet_variables (fleet_id, subject_kind, subject, name)`,

    // Encrypted. Values that are no longer served are kept for a while, because agents still report them.
    sql`create table fleet_secrets (
      id ${id} not null primary key,
      project_id ${id} not null,
      fleet_id ${id} not null,
      name ${text} not null,
      sealed ${text} not null,
      key_id ${text} not null,
      created_at ${integer} not null,
      created_by_kind ${text} not null,
      created_by_id ${id},
      created_by_name ${text},
      ended_at ${integer}
    ) ${options}`,
    sql`create unique index fleet_secrets_by_name on fleet_secrets (fleet_id, name) where ended_at is null`,
  ];
}
