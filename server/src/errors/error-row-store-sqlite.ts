import { type RawBuilder, sql } from 'kysely';
import { maxMoved, placeOfID } from '../foundation/database/id-place.ts';

/** Rows of one index. */
export interface Part {
  readonly index: RawBuilder<unknown>;
  /** What the index decides without reading rows. */
  readonly condition: RawBuilder<unknown>;
}

/** The open errors of a project, without and with the mark of superseded ones, which may come later than the configuration. */
export function openOfProject(projectID: string): readonly [current: Part, superseded: Part] {
  const open = sql`project_key = ${keyOf(projectID)} and dismissed_at is null`;
  return [
    { index: sql`agent_error_rows_current_by_project`, condition: sql`${open} and superseded_at is null` },
    {
      index: sql`agent_error_rows_superseded_by_project`,
      condition: sql`${open} and superseded_at is not null`,
    },
  ];
}

/** Compares the epochs: the mark of superseded errors may come later than the configuration. */
export function isCurrent(current = true): RawBuilder<boolean> {
  return sql<boolean>`${sql.raw(current ? '' : 'not')} agent_error_rows.epoch = (
    select own.epoch from id_keys as own_key cross join agents as own on own.id = own_key.id
    where own_key.key = agent_error_rows.agent_key)`;
}

export function isInFleet(projectID: string, fleetID: string): RawBuilder<unknown> {
  return sql`agent_key in (
    select key from agents join id_keys on id_keys.id = agents.id
    where agents.project_id = ${projectID} and agents.fleet_id = ${fleetID})`;
}

/** A condition of a row of `agent_error_rows`: an equal error is open. No index of SQLite refuses a second one, so whatever opens an error asks this. */
export const hasEqualOpenSql = `exists (
  select 1 from agent_error_rows as other indexed by agent_error_rows_open
  where other.agent_key = agent_error_rows.agent_key and other.epoch = agent_error_rows.epoch
    and other.digest = agent_error_rows.digest and other.dismissed_at is null
    and other.error = agent_error_rows.error)`;

/** The key of an agent or a project. */
export function keyOf(id: string): RawBuilder<unknown> {
  return sql`(select key from id_keys where id = ${id})`;
}

/** The place of a row, or the former place of a removed row. */
export function placeOf(id: string): RawBuilder<unknown> {
  const { place } = placeOfID(id) ?? { place: 0n };
  return sql`coalesce((select place from agent_error_rows where ${isRowOfID(id)}), ${place})`;
}

export function isRowOfID(id: string): RawBuilder<unknown> {
  const at = placeOfID(id);
  if (at === undefined) return sql`false`;
  const { place, rest } = at;
  return sql`place between ${place} and ${place} + ${sql.lit(maxMoved)}
    and id_rest = ${rest} + (place - ${place} << 55)`;
}
