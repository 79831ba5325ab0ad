import type { Clock, NewID } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import { FairSlots } from '../../foundation/scheduling/fair-slots.ts';
import { createDismissedErrorStore } from './create-dismissed-error-store.ts';
import {
  type DismissalRow,
  freeAllLeases,
  giveUpLeases,
  hasUnfinished,
  type Lease,
  listDue,
  listProjectsWithDue,
  takeLease,
} from './dismissal-store.ts';
import type {
  ChangedPortion,
  DismissedErrorStore,
  ErrorSelection,
  FoundError,
} from './dismissed-error-store.ts';
import { selectionOf, selectsWholeGroups } from './error-selection.ts';

interface DismissalRunnerOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly onFailure: (error: unknown) => void;
  /** Called in the turn in which a change of an agent's errors was committed. */
  readonly onChanged: (agentID: string, change: 'dismissed' | 'reopened') => void;
  /** Called after it for an agent of which an error of its present configuration was dismissed. */
  readonly onRecovery: (agentID: string) => void;
  /** Called after each portion. Absent: nothing has to be told of it. */
  readonly onPortion?: (() => Promise<void>) | undefined;
  /** Absent: 500 on SQLite, 1,000 on PostgreSQL. */
  readonly portionErrors?: number;
  /** Absent: 4. */
  readonly portionsPerTurn?: number;
}

const leaseMilliseconds = 15_000;
/**
 * On SQLite, everything else waits for a portion: 500 errors take about 10 ms. On PostgreSQL, only reports of the same errors wait, and a
 * commit takes most of the time of a small portion.
 */
const usualPortionErrors = { sqlite: 500, postgres: 1_000 };
/** The errors for this many portions are found at once, and passed between threads together. */
const usualPortionsPerTurn = 4;
/** To find N errors, a walk reads at most N times this many rows. */
const maxRowsPerFound = 25;
const maxDue = 100;
/** Its client has gone by then, and the work goes on in the background. */
const maxWaitMilliseconds = 600_000;

/**
 * Does the work of dismissals and of their undo, in portions of one transaction each. If the process ends, it continues
 * after its next start, or another replica does. A lease keeps replicas from doing the same work. Even without it, no portion is
 * done twice, because each portion checks the state and the cursor in its transaction.
 *
 * Projects take turns, and the dismissals of a project do: a small one does not wait for the end of a large one, nor for all those of another project.
 */
export class DismissalRunner {
  readonly #options: DismissalRunnerOptions;
  readonly #errors: DismissedErrorStore;
  readonly #holder: string;
  readonly #portionErrors: number;
  readonly #maxFound: number;
  /** One turn at a time, fairly among projects. */
  readonly #turns = new FairSlots({ count: 1, maxWaitMilliseconds });
  /** By project. */
  readonly #working = new Map<string, { isWanted: boolean; done: Promise<void> }>();
  #look: Promise<void> = Promise.resolve();
  #hasLeases = false;
  /** How many errors the next walk reads. It grows while few of them match. */
  #rows: number;

  constructor(options: DismissalRunnerOptions) {
    this.#options = options;
    this.#errors = createDismissedErrorStore(options.database);
    this.#holder = options.newID();
    this.#portionErrors = options.portionErrors ?? usualPortionErrors[options.database.engine];
    this.#maxFound = this.#portionErrors * (options.portionsPerTurn ?? usualPortionsPerTurn);
    this.#rows = this.#maxFound;
  }

  /** Takes over the dismissals that the process before this one has left, where there is no other. */
  async start(): Promise<void> {
    const { database } = this.#options;
    if (database.engine === 'sqlite' && (await hasUnfinished(database.read)))
      await freeAllLeases(database.write);
  }

  /** The lease for a dismissal that this process is about to work on. */
  lease(): Lease {
    this.#hasLeases = true;
    return this.#leaseNow();
  }

  #leaseNow(): Lease {
    const now = this.#options.clock();
    return { holder: this.#holder, now, until: now + leaseMilliseconds };
  }

  /** Works until no dismissal is left to work on, or the service closes. Reports failures to `onFailure`. */
  async run(): Promise<void> {
    await this.look();
    await this.#workIsDone();
  }

  /** Begins to work on the dismissals that are left. */
  look(): Promise<void> {
    this.#look = this.#look.then(() => this.#beginAll());
    return this.#look;
  }

  /** Works until no dismissal of a project is left to work on. */
  async workOn(projectID: string): Promise<void> {
    const { closing, onFailure } = this.#options;
    const current = this.#working.get(projectID);
    if (current !== undefined) {
      current.isWanted = true;
      return current.done;
    }
    if (closing.aborted) return;
    const work = { isWanted: true, done: Promise.resolve() };
    this.#working.set(projectID, work);
    work.done = this.#workOnProject(projectID, work).catch(onFailure);
    await work.done;
  }

  /** Gives a dismissal one turn. False: it is finished, or cannot be worked on here. */
  async takeTurn(id: string, projectID: string): Promise<boolean> {
    const { closing } = this.#options;
    const endTurn = await this.#turns.take(projectID, closing);
    if (endTurn === 'none') return !closing.aborted;
    try {
      return await this.#work(id);
    } finally {
      endTurn();
    }
  }

  async close(): Promise<void> {
    await this.#look;
    await this.#workIsDone();
    // When the service closes, only the turn under way is left.
    const endTurn = await this.#turns.take();
    if (endTurn !== 'none') endTurn();
    if (!this.#hasLeases) return;
    await giveUpLeases(this.#options.database.write, this.#holder).catch(this.#options.onFailure);
  }

  async #workIsDone(): Promise<void> {
    await Promise.all([...this.#working.values()].map(({ done }) => done));
  }

  async #beginAll(): Promise<void> {
    const { database, closing, onFailure } = this.#options;
    if (closing.aborted) return;
    try {
      for (const id of await listProjectsWithDue(database.read, this.#leaseNow())) void this.workOn(id);
    } catch (error) {
      onFailure(error);
    }
  }

  async #workOnProject(projectID: string, work: { isWanted: boolean }): Promise<void> {
    const { database, closing, onFailure } = this.#options;
    const failed: string[] = [];
    try {
      while (work.isWanted) {
        work.isWanted = false;
        const due = await listDue(database.read, projectID, this.#leaseNow(), maxDue);
        const ids = due.filter((id) => !failed.includes(id));
        if (ids.length > 0) work.isWanted = true;
        for (const id of ids) {
          if (closing.aborted) return;
          await this.takeTurn(id, projectID).catch((error: unknown) => {
            failed.push(id);
            onFailure(error);
          });
        }
      }
    } finally {
      this.#working.delete(projectID);
    }
  }

  async #work(id: string): Promise<boolean> {
    const { database, closing } = this.#options;
    if (closing.aborted) return false;
    const row = await takeLease(database.write, id, this.lease());
    if (row === undefined) return false;
    return row.state === 'undoing' ? this.#reopenSome(row) : this.#dismissSome(row);
  }

  async #dismissSome(row: DismissalRow): Promise<boolean> {
    const { database } = this.#options;
    const step = { after: row.cursor_id, rows: this.#rows };
    const selection = selectionOf(row);
    const { found, end } = await this.#errors.find(database.search, selection, step, this.#maxFound);
    this.#rows =
      found.length > this.#maxFound / 2
        ? Math.max(this.#maxFound, Math.round(this.#rows / 2))
        : Math.min(this.#maxFound * maxRowsPerFound, this.#rows * 2);
    let cursor = row.cursor_id;
    for (const { errors, isLast } of portionsOf(found, this.#portionErrors)) {
      const cursorAfter = (isLast ? end : undefined) ?? errors.at(-1)?.id ?? cursor;
      const changed = await this.#dismissPortion(row.id, errors, {
        cursorBefore: cursor,
        cursorAfter,
        isLast: isLast && end === undefined,
        wholeGroups: selectsWholeGroups(row) ? selection : undefined,
      });
      if (changed === undefined || changed.isDone) return false;
      cursor = cursorAfter;
      if (this.#options.closing.aborted) return false;
    }
    return true;
  }

  async #dismissPortion(
    dismissalID: string,
    errors: readonly FoundError[],
    step: {
      readonly cursorBefore: string | null;
      readonly cursorAfter: string | null;
      readonly isLast: boolean;
      readonly wholeGroups: ErrorSelection | undefined;
    },
  ): Promise<ChangedPortion | undefined> {
    const { holder, now, until: leaseUntil } = this.lease();
    const changed = await this.#errors.dismiss({ dismissalID, holder, errors, ...step, now, leaseUntil });
    const recovering = new Set(errors.filter((error) => error.isCurrent === 1).map(({ agentID }) => agentID));
    for (const agentID of changed?.agentIDs ?? []) {
      this.#options.onChanged(agentID, 'dismissed');
      if (recovering.has(agentID)) this.#options.onRecovery(agentID);
    }
    await this.#options.onPortion?.();
    return changed;
  }

  async #reopenSome({ id: dismissalID }: DismissalRow): Promise<boolean> {
    const maxErrors = this.#portionErrors;
    for (let errors = 0; errors < this.#maxFound; errors += maxErrors) {
      const { holder, now, until: leaseUntil } = this.lease();
      const changed = await this.#errors.reopen({ dismissalID, holder, maxErrors, now, leaseUntil });
      for (const agentID of changed?.agentIDs ?? []) this.#options.onChanged(agentID, 'reopened');
      await this.#options.onPortion?.();
      if (changed === undefined || changed.isDone || this.#options.closing.aborted) return false;
    }
    return true;
  }
}

/** At least one portion, which may be empty: it moves the cursor. */
function portionsOf(
  found: readonly FoundError[],
  size: number,
): { readonly errors: readonly FoundError[]; readonly isLast: boolean }[] {
  const count = Math.max(1, Math.ceil(found.length / size));
  return Array.from({ length: count }, (_, index) => ({
    errors: found.slice(index * size, (index + 1) * size),
    isLast: index === count - 1,
  }));
}
