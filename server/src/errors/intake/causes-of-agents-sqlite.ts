import { RecentTimes } from '@muster/http/limits/recent-times';
import { firstPlaceAt, timeAtPlaceSql } from '../../foundation/database/id-place.ts';
import type { SqliteStatements } from '../../foundation/database/sqlite/sqlite-procedure.ts';
import { minuteMilliseconds, timesAround } from '../limits/new-error-limits.ts';

interface CountsOfCause {
  open: number;
  readonly recent: RecentTimes;
}

/** By the key of the group. */
type CausesOfAgent = Map<number, CountsOfCause>;

const maxAgents = 1_000;

/** Counts the errors of agents by their cause: only of agents with so many that one cause may have more than its share. */
export class CausesOfAgents {
  /** By the number of the agent's record. */
  readonly #agents = new Map<number, CausesOfAgent>();

  /** Open errors of the cause. @param now milliseconds, as for all of these. */
  countOpen(
    statements: SqliteStatements,
    agent: { readonly key: number; readonly record: number },
    groupKey: number,
    now: number,
  ): number {
    return this.#find(statements, agent, now).get(groupKey)?.open ?? 0;
  }

  /** Errors of the cause that count towards the limit of a minute. */
  countRecent(
    statements: SqliteStatements,
    agent: { readonly key: number; readonly record: number },
    groupKey: number,
    now: number,
  ): number {
    const [since, end] = timesAround(now, minuteMilliseconds);
    return this.#find(statements, agent, now).get(groupKey)?.recent.count(since, end) ?? 0;
  }

  noteStored(record: number, groupKey: number, createdAt: number, isOpen: boolean): void {
    const causes = this.#agents.get(record);
    if (causes === undefined) return;
    const cause = causeOf(causes, groupKey);
    if (isOpen) cause.open += 1;
    // Drops what is older than a minute.
    cause.recent.count(...timesAround(createdAt, minuteMilliseconds));
    cause.recent.add(createdAt);
  }

  forget(record: number): void {
    this.#agents.delete(record);
  }

  forgetAll(): void {
    this.#agents.clear();
  }

  #find(
    statements: SqliteStatements,
    { key, record }: { readonly key: number; readonly record: number },
    now: number,
  ): CausesOfAgent {
    const known = this.#agents.get(record);
    if (known !== undefined) return known;
    if (this.#agents.size >= maxAgents) this.#agents.clear();
    const [since, end] = timesAround(now, minuteMilliseconds);
    const causes: CausesOfAgent = new Map();
    for (const row of statements.all(selectSql, key, firstPlaceAt(since))) {
      const cause = causeOf(causes, Number(row.error_group));
      if (row.is_open === 1) cause.open += 1;
      const createdAt = Number(row.created_at);
      if (createdAt >= since && createdAt < end) cause.recent.add(createdAt);
    }
    this.#agents.set(record, causes);
    return causes;
  }
}

function causeOf(causes: CausesOfAgent, groupKey: number): CountsOfCause {
  let cause = causes.get(groupKey);
  if (cause === undefined) {
    cause = { open: 0, recent: new RecentTimes() };
    causes.set(groupKey, cause);
  }
  return cause;
}

const selectSql = `
  select ${timeAtPlaceSql} as created_at, error_group, is_open from (
    select place, id_rest, error_group, 1 as is_open
    from agent_error_rows indexed by agent_error_rows_open
    where agent_key = ?1 and dismissed_at is null
    union all
    select place, id_rest, error_group, 0
    from agent_error_rows indexed by agent_error_rows_dismissed
    where agent_key = ?1 and dismissed_at is not null and place >= ?2
  ) order by created_at`;
