import { maxItemAgeDays } from '@muster/contract';
import type { PostgresPool } from '../../foundation/database/postgres/postgres-pool.ts';
import type { GroupMute } from '../groups/mutes/group-mute.ts';
import type { Report } from '../report.ts';

/** Of what a core instance passes on. A mute that has ended before decides nothing. */
const maxAgeMilliseconds = maxItemAgeDays * 86_400_000;

/** By the id of the group. */
export type GroupMutes = ReadonlyMap<string, GroupMute>;

/**
 * Remembers the mutes of all groups, together with the number that every change of a mute advances. The statements that store
 * reports compare this number and store nothing if it has changed, so a report is never stored by an outdated mute.
 */
export class MutedGroups {
  readonly #pool: PostgresPool;
  #known: { readonly generation: number; readonly mutes: GroupMutes } | undefined;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** The mutes for these reports: as of their number, or as of a later one, for which the statement refuses them. */
  async of(reports: readonly Report[]): Promise<GroupMutes> {
    const known = this.#known;
    if (known !== undefined && reports.every(({ generation }) => generation === known.generation)) {
      return known.mutes;
    }
    const oldest = Math.max(...reports.map(({ createdAt }) => createdAt)) - maxAgeMilliseconds;
    const rows = await this.#pool.query<MuteRow>(selectMutesSql, [oldest], 'read-mutes');
    const mutes = new Map<string, GroupMute>();
    for (const { id, muted_until: until, mute_reason: reason } of rows) {
      if (id !== null && until !== null) mutes.set(id, { until, reason: reason ?? '' });
    }
    const [row] = rows;
    if (row !== undefined) this.#known = { generation: row.generation, mutes };
    return mutes;
  }
}

type MuteRow = {
  readonly generation: number;
  /** Null if no group is muted. */
  readonly id: string | null;
  readonly muted_until: number | null;
  readonly mute_reason: string | null;
};

/** One statement, so that the mutes belong to the number. */
const selectMutesSql = `
  select credential_changes.generation, muted.id, muted.muted_until, muted.mute_reason
  from credential_changes
  left join agent_error_groups as muted on muted.muted_until > $1::bigint`;
