import type { RawBuilder } from 'kysely';
import type { Engine } from '../../database/migrations/column-types.ts';

export type Sql = RawBuilder<unknown>;

/** Errors in the order of one index. Several `ids`: one range of the index for each. */
export type Walk =
  | {
      readonly of: 'agents';
      readonly ids: readonly string[];
      readonly state: 'open' | 'dismissed';
    }
  | { readonly of: 'groups'; readonly ids: readonly string[] }
  | {
      readonly of: 'project';
      readonly id: string;
      readonly state: 'any' | 'current' | 'superseded' | 'open';
    }
  | { readonly of: 'superseded' | 'dismissed'; readonly before: number };

/**
 * Bounds of a walk, as ids of errors that may be gone. `after` and `before` are exclusive, `from` and `through` inclusive. The inclusive bound of a side
 * replaces the exclusive one.
 */
export interface Range {
  readonly after?: string | undefined;
  readonly from?: string | undefined;
  readonly before?: string | undefined;
  readonly through?: string | undefined;
}

/**
 * How the two tables of errors differ, for all queries but those of the intake and of counts. They name an error `e`. A walk names its index: by
 * `indexed by` on SQLite, and on PostgreSQL in a form that no statistics lead to another one.
 */
export interface ErrorRows {
  readonly engine: Engine;
  readonly table: Sql;
  /** The column that has the order of ids. */
  readonly key: Sql;
  readonly id: Sql;
  /** The column of the agent, and its id. */
  readonly agent: Sql;
  readonly agentID: Sql;
  readonly createdAt: Sql;
  /** The column of the group, and what it names a group by. */
  readonly group: Sql;
  readonly groupKey: Sql;
  readonly digest: Sql;
  /** The first bytes of the digest, in hexadecimal. */
  readonly digestPrefix: (bytes: number) => Sql;
  /** The epoch that its agent has now; null if the agent is gone. */
  readonly epochOfAgent: Sql;
  /** The configuration that its agent has now. */
  readonly configOfAgent: Sql;
  readonly dismissal: Sql;
  /** The columns of a list, of what `fromPage` and `names` have. */
  readonly columns: Sql;
  readonly names: Sql;
  /** What a walk selects: the key alone if the index has nothing else, or the whole row. */
  readonly walked: Sql;
  /** The same where only the id and the agent are wanted. */
  readonly walkedAgents: Sql;
  /** The rows of a page of what walks have selected. */
  readonly fromPage: (page: Sql) => Sql;
  /** One index, with its conditions: `from … where …` without the first word. @param columns at least what is selected of it */
  readonly source: (walk: Walk, range: Range, columns?: Sql) => Sql;
  /** The open errors of an agent in any order, for counts. @param agent an id */
  readonly openOf: (agent: Sql) => Sql;
  /** The errors of an agent that were stored as dismissed since their group was muted. @param agent an id */
  readonly mutedOf: (agent: Sql) => Sql;
  /** The open error, named `other`, that has the same text, agent and configuration. */
  readonly equalOpen: Sql;
  /** In a form that leads to no index on PostgreSQL. */
  readonly isOpen: Sql;
  /**
   * The errors of each project, or the open or dismissed ones of each agent.
   *
   * @param owners a query of their ids
   * @param limit maximum for each
   */
  readonly ofEach: (owners: Sql, errors: 'project' | 'open' | 'dismissed', limit: number) => Sql;
  readonly keyOrder: (walk: Walk, direction: Direction) => Sql;
  /** The walks that a walk consists of, each with an index of its own. */
  readonly partsOf: (walk: Walk) => readonly Walk[];
  readonly isAgent: (ids: readonly string[]) => Sql;
  readonly isGroup: (ids: readonly string[]) => Sql;
  readonly isFleet: (projectID: string, fleetID: string) => Sql;
  /** In a form that leads to no index. */
  readonly isProject: (id: string) => Sql;
  /** Milliseconds. */
  readonly isSince: (milliseconds: number) => Sql;
  readonly isUntil: (milliseconds: number) => Sql;
  readonly hasID: (id: string) => Sql;
  /**
   * A condition for a change of the rows with these keys, locked in one order where there are several writers.
   *
   * @param condition checked again once a row is locked
   */
  readonly isDue: (keys: Sql, condition: Sql) => Sql;
  /** What `isDue` takes. */
  readonly keys: Sql;
}

type Direction = 'asc' | 'desc';
