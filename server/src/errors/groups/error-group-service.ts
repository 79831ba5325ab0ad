import type { Agent, AgentErrorGroupSort, OpenAgentError } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { AgentService } from '../../fleet/agents/agent-service.ts';
import type { ProjectService } from '../../fleet/projects/project-service.ts';
import { type Clock, toNullableTimestamp, toTimestamp } from '../../foundation/clock.ts';
import { noteCredentialChange } from '../../foundation/credentials/credential-freshness.ts';
import {
  actorOf,
  describePrincipal,
  hasPartIn,
  type Principal,
} from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { ListSource, Lists } from '../../foundation/database/lists.ts';
import type { Searches, SearchTurn } from '../../foundation/database/searches.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { type HistoryQuery, readHistoryRange } from '../../foundation/history-range.ts';
import { type Page, type PageOf, toPage } from '../../foundation/list-page.ts';
import { invalidBody, Refusal } from '../../foundation/refusal.ts';
import type { ActorNameService } from '../../people/actors/actor-name-service.ts';
import type { UserService } from '../../people/users/user-service.ts';
import type { AuditChange, AuditService } from '../../record/audit/audit-service.ts';
import { countAgentsOf, isPart } from './agents-count-store.ts';
import type { CountedAt, ErrorGroupCounter } from './counting/error-group-counter.ts';
import { type ErrorGroupQuery, isGroupSearch } from './error-group-filter.ts';
import {
  type CountedErrorGroup,
  type ErrorGroupPosition,
  type ErrorState,
  findErrorGroup,
  findErrorGroups,
  listErrorGroups,
} from './error-group-store.ts';
import { type GroupAgentRow, listAgentsOfGroup } from './group-agents-store.ts';
import { countHistory, type HistoryRow } from './group-history-store.ts';
import { type GroupNote, noteGroups } from './group-note-store.ts';
import {
  type AffectedAgents,
  countAffectedAgents,
  countConfiguredAgents,
  type FirstOfGroup,
  findFirstOfGroup,
  findFirstOfGroupSince,
} from './group-origin-store.ts';
import { type GroupTrend, listGroupTrends, trendStart } from './group-trend-store.ts';
import { lockMute, muteGroup, type StoredMute, unmuteGroup } from './mutes/group-mute-store.ts';
import { searchGroupsOfPart } from './part-group-store.ts';

interface ErrorGroupServiceOptions {
  readonly database: Database;
  readonly audit: Pick<AuditService, 'record'>;
  readonly clock: Clock;
  readonly lists: Lists;
  readonly counter: Pick<ErrorGroupCounter, 'catchUp' | 'catchUpWholly' | 'countedIn'>;
  readonly projects: Pick<ProjectService, 'requireProject'>;
  readonly agents: Pick<AgentService, 'findFleets' | 'findOpenErrors' | 'flushSigns'>;
  readonly actors: Pick<ActorNameService, 'read'>;
  readonly users: Pick<UserService, 'findGrantsOf'>;
  readonly searches: Searches;
}

/** What the groups of one answer share. */
export interface GroupsContext {
  /** Milliseconds. All changes before this time are counted. */
  readonly countedAt: number;
  /** Agents of the project, or of the part of it that is asked for. */
  readonly agentsCount: number;
}

/** Where a group began, and who has it. */
export interface GroupOrigin extends AffectedAgents {
  readonly first: FirstOfGroup | undefined;
  /** All agents that have the configuration of the first one. */
  readonly allConfigured: number;
  readonly agentsCount: number;
}

export class ErrorGroupService {
  readonly #options: ErrorGroupServiceOptions;

  constructor(options: ErrorGroupServiceOptions) {
    this.#options = options;
  }

  /**
   * @param hangUp aborted when the client has hung up
   * @throws Refusal not_found; for a search also overloaded or database_unavailable
   */
  async list(
    principal: Principal,
    filter: ErrorGroupQuery,
    sort: AgentErrorGroupSort,
    page: { readonly limit: number; readonly before: ErrorGroupPosition | undefined },
    hangUp: AbortSignal,
  ): Promise<PageOf<CountedErrorGroup> & GroupsContext> {
    const { database, agents, counter, lists, projects, searches } = this.#options;
    const { engine } = database;
    const { projectID, coreInstanceID } = filter;
    await projects.requireProject(principal, projectID);
    if (coreInstanceID !== undefined) await agents.flushSigns();
    await counter.catchUp(projectID);
    const listIn = async (source: Pick<ListSource, 'db'>, list: () => Promise<CountedErrorGroup[]>) => {
      const countedAt = await counter.countedIn(source, projectID);
      const found = toPage(await list(), { limit: page.limit, before: undefined });
      return { ...found, countedAt, agentsCount: await countAgentsOf(source.db, filter) };
    };
    if (!isGroupSearch(filter)) {
      return lists.read(principal, (source) =>
        listIn(source, () => listErrorGroups(source.db, engine, filter, sort, page)),
      );
    }
    const search = (turn: SearchTurn) =>
      isPart(filter)
        ? searchGroupsOfPart(turn, engine, { filter, sort, ...page })
        : listErrorGroups(turn.db, engine, filter, sort, page);
    return searches.run(
      describePrincipal(principal),
      hangUp,
      (turn) => listIn(turn, () => search(turn)),
      principal,
    );
  }

  async get(principal: Principal, id: string): Promise<{ readonly row: CountedErrorGroup } & GroupsContext> {
    const { database } = this.#options;
    const { countedAt } = await this.#countGroup(id);
    const row = await this.#requireGroup(principal, id);
    const agentsCount = await countAgentsOf(database.read, { projectID: row.project_id });
    return { row, countedAt, agentsCount };
  }

  /** The project of a group, after its errors were counted. @throws Refusal not_found */
  async projectOf(principal: Principal, id: string): Promise<string> {
    await this.#countGroup(id);
    return (await this.#requireGroup(principal, id)).project_id;
  }

  async listAgents(
    principal: Principal,
    id: string,
    state: ErrorState,
    page: Page,
  ): Promise<
    PageOf<GroupAgentRow> & {
      readonly openErrors: ReadonlyMap<string, OpenAgentError>;
      readonly fleets: ReadonlyMap<string, Agent['fleet']>;
    }
  > {
    const { database, agents, counter, lists } = this.#options;
    await this.#countGroup(id);
    const group = await this.#requireGroup(principal, id);
    await agents.flushSigns();
    const rows = await lists.read(principal, async (source) => {
      await counter.countedIn(source, group.project_id);
      return listAgentsOfGroup(source.db, database.engine, group, state, page);
    });
    const openErrors = await agents.findOpenErrors(principal, group.project_id, rows, id);
    const fleets = await agents.findFleets(principal, group.project_id, rows);
    return { ...toPage(rows, page), openErrors, fleets };
  }

  /** @throws Refusal not_found, invalid_query_parameter; overloaded or database_unavailable like a search */
  async listHistory(
    principal: Principal,
    id: string,
    query: HistoryQuery,
    hangUp: AbortSignal,
  ): Promise<HistoryRow[]> {
    const { clock, counter, database, searches } = this.#options;
    const range = readHistoryRange(query, clock());
    const projectID = await this.projectOf(principal, id);
    return searches.run(
      describePrincipal(principal),
      hangUp,
      async (turn) => {
        await counter.countedIn(turn, projectID);
        return countHistory(turn, database.engine, { ...range, groupID: id });
      },
      principal,
    );
  }

  /** @throws Refusal not_found; overloaded or database_unavailable like a search */
  async findOrigin(principal: Principal, id: string, hangUp: AbortSignal): Promise<GroupOrigin> {
    const { counter, database, searches } = this.#options;
    const { engine } = database;
    await this.#countGroup(id);
    const group = await this.#requireGroup(principal, id);
    const { project_id: projectID, first_config_id: configID, regressed_at: regressedAt } = group;
    const findFirst = async (db: Kysely<Tables>) => {
      // What came back may have come with something else than at first.
      if (regressedAt !== null) return findFirstOfGroupSince(db, engine, id, regressedAt);
      return configID === null ? undefined : findFirstOfGroup(db, engine, id, configID);
    };
    const search = async ({ db, standby, goOn }: SearchTurn) => {
      await counter.countedIn({ db, standby }, projectID);
      const first = await findFirst(db);
      goOn();
      const affected = await countAffectedAgents(db, engine, id, first?.textDigest);
      goOn();
      const allConfigured =
        first === undefined ? 0 : await countConfiguredAgents(db, engine, projectID, first.textDigest);
      const agentsCount = await countAgentsOf(db, { projectID });
      return { ...affected, first, allConfigured, agentsCount };
    };
    return searches.run(describePrincipal(principal), hangUp, search, principal);
  }

  /** @throws Refusal not_found; overloaded or database_unavailable like a search */
  async listTrends(
    principal: Principal,
    projectID: string,
    hangUp: AbortSignal,
  ): Promise<{ readonly since: number; readonly groups: readonly GroupTrend[] }> {
    const { clock, database, counter, projects, searches } = this.#options;
    await projects.requireProject(principal, projectID);
    await counter.catchUp(projectID);
    const since = trendStart(clock());
    const search = async (turn: SearchTurn) => {
      await counter.countedIn(turn, projectID);
      return listGroupTrends(turn.db, database.engine, projectID, since);
    };
    const groups = await searches.run(describePrincipal(principal), hangUp, search, principal);
    return { since, groups };
  }

  /**
   * Says who looks after groups, and what is known of them: all of them or none.
   *
   * @throws Refusal not_found, invalid_body
   */
  async note(
    principal: Principal,
    projectID: string,
    groupIDs: readonly string[],
    change: GroupNote,
  ): Promise<{ readonly rows: readonly CountedErrorGroup[] } & GroupsContext> {
    const { database, counter, projects, clock, audit } = this.#options;
    const { engine } = database;
    await projects.requireProject(principal, projectID);
    const { countedAt } = await counter.catchUp(projectID);
    const ids = [...new Set(groupIDs.map((id) => id.toLowerCase()))];
    await database.write.transaction().execute(async (trx) => {
      const before = await findErrorGroups(trx, engine, projectID, ids);
      const missing = ids.find((id) => before.every((row) => row.id !== id));
      if (missing !== undefined) throw noSuchGroup(missing);
      await this.#requireAssignable(trx, projectID, change.assigneeID);
      await noteGroups(trx, engine, ids, { ...change, at: clock(), by: actorOf(principal) });
      const [only, ...others] = before;
      const isOne = only !== undefined && others.length === 0;
      await audit.record(trx, principal, {
        projectID,
        action: 'agent_error_group.updated',
        target: {
          kind: 'agent_error_group',
          id: isOne ? only.id : null,
          name: isOne ? only.pattern : null,
        },
        ...(isOne && { before: await this.#describeNote(change, only) }),
        after: {
          ...(isOne ? {} : { groupsCount: ids.length }),
          ...(await this.#describeNote(change, {
            assignee_id: change.assigneeID ?? null,
            note: change.note ?? null,
            link: change.link ?? null,
          })),
        },
      });
    });
    const rows = await findErrorGroups(database.read, engine, projectID, ids);
    const agentsCount = await countAgentsOf(database.read, { projectID });
    return { rows, countedAt, agentsCount };
  }

  /** @throws Refusal invalid_body */
  async #requireAssignable(
    trx: Kysely<Tables>,
    projectID: string,
    assigneeID: string | null | undefined,
  ): Promise<void> {
    if (typeof assigneeID !== 'string') return;
    const grants = await this.#options.users.findGrantsOf(trx, assigneeID, projectID);
    if (grants.length > 0) return;
    throw invalidBody([
      { path: '/assigneeID', message: 'must be a user who has access to the project: invite them first' },
    ]);
  }

  /** Of the fields of a change alone. */
  async #describeNote(
    change: GroupNote,
    { assignee_id, note, link }: Pick<CountedErrorGroup, 'assignee_id' | 'note' | 'link'>,
  ) {
    const toActor = await this.#options.actors.read([{ kind: 'user', id: assignee_id }]);
    const assignee = assignee_id === null ? null : toActor({ kind: 'user', id: assignee_id }).name;
    return {
      ...(change.assigneeID !== undefined && { assigneeID: assignee_id, assignee }),
      ...(change.note !== undefined && { note }),
      ...(change.link !== undefined && { link }),
    };
  }

  async mute(
    principal: Principal,
    id: string,
    asked: Pick<StoredMute, 'until' | 'reason' | 'endsWithConfiguration' | 'moreAgents'>,
  ): Promise<void> {
    const { clock, counter } = this.#options;
    const { until, reason, endsWithConfiguration, moreAgents } = asked;
    // Agents that have reported it are not those that will have it more.
    if (moreAgents !== undefined)
      await counter.catchUpWholly((await this.#requireGroup(principal, id)).project_id);
    const mute = { ...asked, at: clock(), by: actorOf(principal) };
    await this.#changeMute(principal, id, 'agent_error_group.muted', {
      change: (trx) => muteGroup(trx, id, mute),
      // The rest of a mute decides nothing about a report.
      isSame: (before) => before.muted_until === until && before.mute_reason === reason,
      after: {
        mutedUntil: toTimestamp(until),
        reason,
        ...(endsWithConfiguration && { endsWithConfiguration }),
        ...(moreAgents !== undefined && { moreAgents }),
      },
    });
  }

  /** @param mutedUntil only the mute that ends then; undefined: any */
  async unmute(principal: Principal, id: string, mutedUntil: number | undefined): Promise<void> {
    await this.#changeMute(principal, id, 'agent_error_group.unmuted', {
      change: async (trx, before) =>
        (mutedUntil === undefined || before.muted_until === mutedUntil) && unmuteGroup(trx, id),
    });
  }

  async #changeMute(
    principal: Principal,
    id: string,
    action: AuditChange['action'],
    mute: {
      readonly change: (trx: Kysely<Tables>, before: MuteBefore) => Promise<boolean>;
      /** True if reports are stored as before. Absent: they are not. */
      readonly isSame?: (before: MuteBefore) => boolean;
      readonly after?: NonNullable<AuditChange['after']>;
    },
  ): Promise<void> {
    const { database, audit } = this.#options;
    const group = await this.#requireGroup(principal, id);
    await database.write.transaction().execute(async (trx) => {
      const before = await lockMute(trx, database.engine, id);
      if (before === undefined || !(await mute.change(trx, before))) return;
      const { muted_until: until, mute_reason: reason } = before;
      await audit.record(trx, principal, {
        projectID: group.project_id,
        action,
        target: { kind: 'agent_error_group', id, name: group.pattern },
        before: { mutedUntil: toNullableTimestamp(until), reason },
        ...(mute.after === undefined ? {} : { after: mute.after }),
      });
      if (mute.isSame?.(before) !== true) await noteCredentialChange(trx);
    });
  }

  async #countGroup(id: string): Promise<CountedAt> {
    const { database, counter } = this.#options;
    // Unknown until its first error is counted.
    const row = await findErrorGroup(database.read, id);
    return counter.catchUp(row?.project_id);
  }

  /** A group of a project that the caller cannot access is refused like a missing one. */
  async #requireGroup(principal: Principal, id: string): Promise<CountedErrorGroup> {
    const row = await findErrorGroup(this.#options.database.read, id);
    if (row === undefined || !hasPartIn(principal, row.project_id)) {
      throw noSuchGroup(id);
    }
    return row;
  }
}

type MuteBefore = Pick<CountedErrorGroup, 'muted_until' | 'mute_reason'>;

function noSuchGroup(id: string): Refusal {
  return new Refusal('not_found', {
    detail: `There is no group of agent errors ${id} that this credential can see.`,
  });
}
