import type { Actor } from '@muster/contract';
import type { Kysely, Selectable } from 'kysely';
import type { SearchTurn } from '../foundation/database/searches.ts';
import type { Tables } from '../foundation/database/tables.ts';
import type { Page } from '../foundation/list-page.ts';

/** Without the digest, which differs by engine. */
export type AgentErrorRow = Omit<Selectable<Tables['agent_errors']>, 'error_digest'> & {
  /** The epoch that its agent has now; null if the agent is gone. */
  readonly agent_epoch: number | null;
};

export interface AgentErrorFilter {
  /** Undefined: both. */
  readonly dismissed: boolean | undefined;
  /** Created while its agent had the configuration that it has now, or not. Absent: both. */
  readonly current?: boolean | undefined;
}

export interface ProjectErrorFilter extends AgentErrorFilter {
  readonly projectID: string;
  /** A part of the text. */
  readonly text: string | undefined;
  readonly agentID: string | undefined;
  readonly fleetID: string | undefined;
  /** Milliseconds, inclusive. */
  readonly since: number | undefined;
  /** Milliseconds, exclusive. */
  readonly until: number | undefined;
  readonly groupID?: string | undefined;
}

export interface Dismissal {
  /** Milliseconds. */
  readonly at: number;
  readonly reason: string;
  readonly by: Actor;
}

/** `equal_open`: an open error has the same text, agent and configuration. `id` is its id, unless it was dismissed meanwhile. */
export type Reopening =
  | { readonly kind: 'reopened' | 'not_dismissed' }
  | { readonly kind: 'equal_open'; readonly id: string | undefined };

/** Statements that belong to a change. */
export type InTransaction = (trx: Kysely<Tables>) => Promise<void>;

/** Lists are newest first. If another page follows, they contain one more row than the page. */
export interface AgentErrorStore {
  listOfAgent(
    db: Kysely<Tables>,
    agentID: string,
    filter: AgentErrorFilter,
    page: Page,
  ): Promise<AgentErrorRow[]>;
  listOfProject(db: Kysely<Tables>, filter: ProjectErrorFilter, page: Page): Promise<AgentErrorRow[]>;
  /** The same for a filter that may have to read many errors. @throws the errors of `turn` */
  searchProject(turn: SearchTurn, filter: ProjectErrorFilter, page: Page): Promise<AgentErrorRow[]>;
  /** An error of a project that still exists. */
  find(id: string): Promise<AgentErrorRow | undefined>;
  /**
   * Returns false if it was already dismissed.
   *
   * @param onDone called in the transaction that has dismissed it.
   */
  dismiss(
    row: Pick<AgentErrorRow, 'project_id' | 'id'>,
    dismissal: Dismissal,
    onDone?: InTransaction,
  ): Promise<boolean>;
  /** @param onDone called in the transaction that has reopened it. */
  reopen(row: AgentErrorRow, onDone?: InTransaction): Promise<Reopening>;
  /**
   * Dismisses, as the service itself, up to `limit` open errors that were superseded before a time. Returns their agents,
   * each as often as it has such errors.
   */
  dismissSuperseded(before: number, at: number, limit: number): Promise<string[]>;
  /** Removes up to `limit` errors that were dismissed before a time. Returns their number. */
  deleteDismissed(before: number, limit: number): Promise<number>;
  /** Removes up to `limit` errors of these agents. Returns their number. */
  deleteOfAgents(agentIDs: readonly string[], limit: number): Promise<number>;
  /** Removes up to `limit` errors of deleted projects. Returns their number. */
  deleteOfDeletedProjects(limit: number): Promise<number>;
}
