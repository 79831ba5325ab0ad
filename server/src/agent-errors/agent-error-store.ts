import type { Actor } from '@muster/contract';
import type { Selectable } from 'kysely';
import type { SearchTurn } from '../database/searches.ts';
import type { Tables } from '../database/tables.ts';
import type { Page } from '../page.ts';

/** The digest is each engine's own. */
export type AgentErrorRow = Omit<Selectable<Tables['agent_errors']>, 'error_digest'>;

export interface AgentErrorFilter {
  /** Undefined: both. */
  readonly dismissed: boolean | undefined;
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
}

export interface Dismissal {
  /** Milliseconds. */
  readonly at: number;
  readonly reason: string;
  readonly by: Actor;
}

/** `equal_open`: an open error has the same text, agent and configuration; its id, unless that has ended meanwhile. */
export type Reopening =
  | { readonly kind: 'reopened' | 'not_dismissed' }
  | { readonly kind: 'equal_open'; readonly id: string | undefined };

/** Lists are newest first, and hold one row more than the page where others follow. */
export interface AgentErrorStore {
  listOfAgent(agentID: string, filter: AgentErrorFilter, page: Page): Promise<AgentErrorRow[]>;
  listOfProject(filter: ProjectErrorFilter, page: Page): Promise<AgentErrorRow[]>;
  /** The same, where that may have to look at very many errors. @throws what its turn throws */
  searchProject(turn: SearchTurn, filter: ProjectErrorFilter, page: Page): Promise<AgentErrorRow[]>;
  /** An error of a project that still exists. */
  find(id: string): Promise<AgentErrorRow | undefined>;
  /** Answers false when it was dismissed already. */
  dismiss(row: Pick<AgentErrorRow, 'agent_id' | 'id'>, dismissal: Dismissal): Promise<boolean>;
  reopen(row: AgentErrorRow): Promise<Reopening>;
  /** Removes up to `most` errors that were dismissed before a time; answers how many. */
  deleteDismissed(before: number, most: number): Promise<number>;
  /** Removes up to `most` errors of an agent; answers how many. */
  deleteOfAgent(agentID: string, most: number): Promise<number>;
  /** Removes up to `most` errors of agents that were deleted; answers how many. */
  deleteOfDeletedAgents(most: number): Promise<number>;
  /** Removes up to `most` errors of projects that were deleted; answers how many. */
  deleteOfDeletedProjects(most: number): Promise<number>;
}

/** Whether no index leads to what a filter lets through: a page of it may take a look at every error of the project. */
export function isSearch({ text, fleetID, dismissed }: ProjectErrorFilter): boolean {
  return text !== undefined || fleetID !== undefined || dismissed === true;
}
