import type { Kysely } from 'kysely';
import {
  type Clock,
  type MonotonicClock,
  type NewID,
  toNullableTimestamp,
} from '../../../foundation/clock.ts';
import type { Principal } from '../../../foundation/credentials/principal.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { deleteInPortions } from '../../../foundation/database/delete-in-portions.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { walkInPortions } from '../../../foundation/database/walk-in-portions.ts';
import { Refusal } from '../../../foundation/refusal.ts';
import type { AuditService } from '../../../record/audit/audit-service.ts';
import type { FleetRoll } from '../../fleet-roll.ts';
import type { ProjectService } from '../../projects/project-service.ts';
import type { AgentFilter } from '../agent-list-store.ts';
import { deleteConfigsOfAgents } from '../agent-store.ts';
import type { Moment } from '../liveness/agent-status.ts';
import type { Listening } from '../liveness/listening.ts';
import type { SignsOfLife } from '../liveness/signs-of-life.ts';
import { deleteSigns } from '../liveness/signs-store.ts';
import * as store from './agent-deletion-store.ts';

interface AgentDeletionOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly audit: Pick<AuditService, 'recordLater' | 'settle'>;
  readonly roll: Pick<FleetRoll, 'lockFleets' | 'removeAgents'>;
  readonly monotonic: MonotonicClock;
  readonly signs: Pick<SignsOfLife, 'flush'>;
  readonly listening: Pick<Listening, 'since'>;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly projects: Pick<ProjectService, 'requireProject'>;
  /** Called in the same turn of the event loop in which the deletion of an agent was committed. */
  readonly onChange: (agentID: string) => void;
  /** Called before the deletion of agents is answered, to remove other data of them. */
  readonly onDelete: (agentIDs: readonly string[]) => Promise<void>;
}

interface DeletionChoices {
  readonly isDryRun: boolean;
  /** If more match, none is deleted. Undefined: any number is. */
  readonly maxAgents: number | undefined;
}

interface AgentDeletionWork {
  readonly silence?: store.SilenceOfAgents;
  readonly record: (trx: Kysely<Tables>, deleted: readonly string[]) => Promise<void>;
}

/** So many agents are deleted in one transaction, so that their reports do not wait long for it. */
const portionSize = 200;

/** So many agents are looked at together for what may be left of them. */
const leftoverAgents = 1_000;

const dayMilliseconds = 86_400_000;

/** Deletes agents, one or many. From then on they get 410. */
export class AgentDeletion {
  readonly #options: AgentDeletionOptions;
  /** In milliseconds. Of agents that were deleted earlier, nothing is left. */
  #completeUntil = 0;

  constructor(options: AgentDeletionOptions) {
    this.#options = options;
  }

  /**
   * Deletes the agents of a project that match a filter, in portions, and returns their exact number: those that this call has deleted, and not
   * another one beside it. A dry run only counts them. If the service closes meanwhile, the agents of the portions before stay deleted.
   *
   * @throws Refusal not_found, more_agents_match, shutting_down
   */
  async deleteMatching(
    principal: Principal,
    filter: AgentFilter,
    { isDryRun, maxAgents }: DeletionChoices,
  ): Promise<number> {
    const { clock, newID, audit, signs, listening, projects } = this.#options;
    await projects.requireProject(principal, filter.projectID);
    // What was heard of agents in the last seconds decides too.
    await signs.flush();
    const moment = { now: clock(), heardSince: listening.since };
    const { projectID, notSeenSince, ...conditions } = filter;
    const deletion = {
      projectID,
      action: 'agents.deleted',
      target: { kind: 'project', id: projectID },
      before: { filter: { ...conditions, notSeenSince: toNullableTimestamp(notSeenSince ?? null) } },
    } as const;
    if (isDryRun || maxAgents !== undefined) {
      let count = 0;
      for await (const ids of this.#portionsOf(filter, moment)) count += ids.length;
      if (isDryRun) return count;
      if (maxAgents !== undefined && count > maxAgents) {
        throw new Refusal('more_agents_match', {
          detail: `${count} agents match now, and at most ${maxAgents} may be deleted. None was.`,
        });
      }
    }
    const work = `deletion ${newID()}`;
    const record = (trx: Kysely<Tables>, deleted: readonly string[]) =>
      audit.recordLater(trx, principal, deletion, { work, agentIDs: deleted });
    let count = 0;
    for await (const ids of this.#portionsOf(filter, moment))
      count += await this.deleteAgents(projectID, ids, { record });
    if (count > 0) await audit.settle(work);
    return count;
  }

  /** The ids of the agents that match a filter at a moment. */
  async *#portionsOf(filter: AgentFilter, moment: Moment): AsyncGenerator<string[]> {
    const { database, monotonic, closing } = this.#options;
    for (let after: string | undefined; ; ) {
      const found = await walkInPortions({
        limit: portionSize,
        before: after,
        goOn: () => {
          if (closing.aborted) throw new Refusal('shutting_down', { retryAfterSeconds: 5 });
        },
        findEnd: (start, rows) => store.findEndOfPortion(database, filter.projectID, start, rows),
        list: (range, limit) => store.listMatchingIDs(database, filter, moment, range, limit),
        now: monotonic,
      });
      const ids = found.map(({ id }) => id);
      yield ids;
      if (ids.length < portionSize) break;
      after = ids.at(-1);
    }
  }

  /**
   * Deletes agents of a project with their data. Returns how many of them were not deleted yet.
   *
   * @param silence given if the service deletes them by itself
   * @param record records in the audit log, in the transaction of the deletion, that these were deleted
   */
  async deleteAgents(
    projectID: string,
    ids: readonly string[],
    { silence, record }: AgentDeletionWork,
  ): Promise<number> {
    if (ids.length === 0) return 0;
    const { database, clock, roll, onChange } = this.#options;
    const deleted = await database.write.transaction().execute(async (trx) => {
      await roll.lockFleets(trx, projectID, ids);
      const marked = await store.markAgentsDeleted(trx, database.engine, ids, clock(), silence);
      if (marked.length === 0) return marked;
      await roll.removeAgents(trx, projectID, marked);
      await record(trx, marked);
      return marked;
    });
    for (const id of deleted) onChange(id);
    if (deleted.length === 0) return 0;
    await this.#removeData(projectID, deleted);
    return deleted.length;
  }

  /**
   * Removes what the end of a process has left of deleted agents. The first run looks at all of them, each later one at those that were deleted since
   * a day before the last complete one.
   */
  async removeLeftovers(): Promise<void> {
    const { database, clock, closing } = this.#options;
    const startedAt = clock();
    for (let after: store.DeletedAgent | undefined; ; ) {
      const agents = await store.listDeleted(
        database.read,
        { since: this.#completeUntil, after },
        leftoverAgents,
      );
      for (const projectID of new Set(agents.map((agent) => agent.project_id))) {
        const ids = agents.filter((agent) => agent.project_id === projectID).map(({ id }) => id);
        await this.#removeData(projectID, ids);
      }
      if (closing.aborted) return;
      if (agents.length < leftoverAgents) break;
      after = agents.at(-1);
    }
    this.#completeUntil = startedAt - dayMilliseconds;
  }

  async #removeData(projectID: string, agentIDs: readonly string[]): Promise<void> {
    const { database, closing, onDelete } = this.#options;
    await deleteInPortions(closing, (limit) => deleteConfigsOfAgents(database, agentIDs, limit));
    await deleteSigns(database, projectID, agentIDs);
    await onDelete(agentIDs);
  }
}
