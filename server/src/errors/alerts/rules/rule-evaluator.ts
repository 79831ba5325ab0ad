import { isDeepStrictEqual } from 'node:util';
import type { Clock, NewID } from '../../../foundation/clock.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { deleteInPortions } from '../../../foundation/database/delete-in-portions.ts';
import { forEachApart } from '../../../foundation/scheduling/for-each-apart.ts';
import {
  deleteOldAlerts,
  listUntoldAlerts,
  listWatchedProjects,
  moveCursor,
  type WatchedProject,
} from './alert-state-store.ts';
import { findInEvents, findInState } from './find-alerts.ts';
import { noteChanges } from './note-changes.ts';
import { toRule } from './read-rule.ts';
import { listAllRules } from './rule-store.ts';
import { listEvents } from './subject-store.ts';

interface RuleEvaluatorOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
}

/** Alerts and notes of so many events are written in one transaction. On SQLite, reports wait for it. */
const maxEvents = 250;
/** What is so at this moment is looked at this often. */
const statePauseMilliseconds = 5_000;
/** Longer than the longest cool-down. */
const keptMilliseconds = 8 * 86_400_000;

/**
 * Evaluates the rules of projects, from events and from what is counted: no request waits for it. A cursor for each project moves in the transaction
 * that writes what follows, so that a kill loses nothing. If two replicas evaluate the same events, the revision of the cursor decides, and one of them writes nothing.
 */
export class RuleEvaluator {
  readonly #options: RuleEvaluatorOptions;
  /** When the state of a project was last looked at. */
  readonly #lookedAt = new Map<string, number>();

  constructor(options: RuleEvaluatorOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { database, closing } = this.#options;
    const projects = await listWatchedProjects(database.read);
    const watched = new Set(projects.map(({ project_id: id }) => id));
    for (const id of this.#lookedAt.keys()) if (!watched.has(id)) this.#lookedAt.delete(id);
    await forEachApart(projects, closing, (project) => this.#evaluate(project));
  }

  /** Removes alerts that have been over for so long that no cool-down needs them. */
  async purge(): Promise<void> {
    const { database, clock, closing } = this.#options;
    const before = clock() - keptMilliseconds;
    await deleteInPortions(closing, (limit) => deleteOldAlerts(database.write, before, limit));
  }

  async #evaluate(project: WatchedProject): Promise<void> {
    const { database, clock } = this.#options;
    const { project_id: projectID, last_sequence: last } = project;
    const now = clock();
    const isStateDue = Math.abs(now - (this.#lookedAt.get(projectID) ?? 0)) >= statePauseMilliseconds;
    // After a copy to another database, the events begin anew.
    let sequence = project.sequence === null || project.sequence > last ? last : project.sequence;
    sequence = Math.max(sequence, project.removed_through);
    if (sequence === last && project.sequence === sequence && !isStateDue) return;
    const rows = await listAllRules(database.read, projectID);
    const rules = rows.map(toRule).filter(({ isEnabled }) => isEnabled);
    let revision = project.revision;
    do {
      const through = Math.min(last, sequence + maxEvents);
      const searched = { database, clock, projectID, rules };
      const events = await listEvents(database.read, projectID, { after: sequence, through });
      const started = await findInEvents(searched, events);
      const isLast = through === last;
      const state = isLast && isStateDue ? await findInState(searched) : { findings: [], overIDs: [] };
      const moved = await database.write.transaction().execute(async (trx) => {
        await database.takeLock(trx, `alerts of ${projectID}`);
        // Nobody is told by a rule that was deleted or disabled meanwhile. The next look finds the same with the rules that there are then.
        if (!isDeepStrictEqual(await listAllRules(trx, projectID), rows)) return false;
        if (!(await moveCursor(trx, projectID, { from: revision, sequence: through }))) return false;
        await noteChanges(trx, {
          ...this.#options,
          projectID,
          now: clock(),
          rules,
          findings: [...started, ...state.findings],
          overIDs: state.overIDs,
          untold: isLast && isStateDue ? await listUntoldAlerts(trx, projectID) : [],
        });
        return true;
      });
      // A rule was changed, or another replica was faster, which has seen the same.
      if (!moved) return;
      revision = (revision ?? 0) + 1;
      sequence = through;
    } while (sequence < last && !this.#options.closing.aborted);
    if (isStateDue) this.#lookedAt.set(projectID, now);
  }
}
