import type { Kysely } from 'kysely';
import type { Tables } from '../../foundation/database/tables.ts';

/** The open errors that a dismissal selects. An absent condition selects all. */
export interface ErrorSelection {
  readonly projectID: string;
  /** Only errors with a smaller id. */
  readonly boundID: string;
  readonly groupIDs?: readonly string[] | undefined;
  /** The whole text. */
  readonly error?: string | undefined;
  /** A part of the text. */
  readonly text?: string | undefined;
  readonly agentIDs?: readonly string[] | undefined;
  readonly fleetID?: string | undefined;
  /** Whether the agent still has the configuration in which the error was created. */
  readonly current?: boolean | undefined;
}

export interface FoundError {
  readonly id: string;
  readonly agentID: string;
  /** 1: of the configuration that the agent still has. */
  readonly isCurrent: number;
}

/** A walk looks at errors in ascending order of their ids. */
export interface WalkStep {
  /** Starts after this error. Null: starts with the oldest error. */
  readonly after: string | null;
  /** The maximum number of errors that it reads. */
  readonly rows: number;
}

interface WalkedErrors<Found> {
  readonly found: Found;
  /** The last error that it read. Undefined: no errors are left. */
  readonly end: string | undefined;
}

/** How many selected errors an agent has. */
export interface AgentCount {
  readonly agentID: string;
  readonly errors: number;
}

export interface DismissPortion {
  readonly dismissalID: string;
  /** The process that works on the dismissal. */
  readonly holder: string;
  readonly errors: readonly FoundError[];
  readonly cursorBefore: string | null;
  readonly cursorAfter: string | null;
  readonly isLast: boolean;
  /** With the last portion, if it dismisses all errors of groups: the selection. Those of them that have newer open errors have regressed. */
  readonly wholeGroups?: ErrorSelection | undefined;
  readonly now: number;
  readonly leaseUntil: number;
}

export interface ReopenPortion {
  readonly dismissalID: string;
  readonly holder: string;
  readonly maxErrors: number;
  readonly now: number;
  readonly leaseUntil: number;
}

/** The changes of a portion. */
export interface ChangedPortion {
  readonly agentIDs: readonly string[];
  readonly isDone: boolean;
}

export interface DismissedErrorStore {
  /** Finds up to `maxFound` selected errors, with statements of bounded length on `db`. */
  find(
    db: Kysely<Tables>,
    selection: ErrorSelection,
    step: WalkStep,
    maxFound: number,
  ): Promise<WalkedErrors<readonly FoundError[]>>;
  count(
    db: Kysely<Tables>,
    selection: ErrorSelection,
    step: WalkStep,
  ): Promise<WalkedErrors<readonly AgentCount[]>>;
  /**
   * Dismisses the errors that are still open, and moves the cursor, in one transaction. Changes nothing and returns undefined
   * if the dismissal is no longer running or has another cursor, if another process works on it, or if its project was deleted.
   */
  dismiss(portion: DismissPortion): Promise<ChangedPortion | undefined>;
  /** Reopens errors that the dismissal has dismissed. Changes nothing and returns undefined for the same reasons. */
  reopen(portion: ReopenPortion): Promise<ChangedPortion | undefined>;
}
