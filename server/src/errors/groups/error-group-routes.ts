import { type AgentErrorGroup, type AgentErrorGroupOrigin, routes } from '@muster/contract';
import { invalidParameter } from '@muster/http/requests/parse-query';
import { type Clock, parseTimestamp, toNullableTimestamp, toTimestamp } from '../../foundation/clock.ts';
import { nextSortedPageLink, readSortedPage } from '../../foundation/http/answers/sorted-page-links.ts';
import { hangUpSignal } from '../../foundation/http/connections/hang-up-signal.ts';
import { answerPage, pageOf, type RouteMounter } from '../../foundation/http/mount-route.ts';
import { readTimeParameter } from '../../foundation/http/requests/read-time-parameter.ts';
import { invalidBody } from '../../foundation/refusal.ts';
import type { ActorNameService, ToActor } from '../../people/actors/actor-name-service.ts';
import type { AgentErrorService } from '../agent-error-service.ts';
import { toAgentErrorsOf } from '../to-agent-error.ts';
import { isGroupSearch } from './error-group-filter.ts';
import type { ErrorGroupService, GroupOrigin, GroupsContext } from './error-group-service.ts';
import type { CountedErrorGroup, ErrorState } from './error-group-store.ts';
import { GroupExplanations } from './explain-group.ts';
import { lastsAt } from './mutes/group-mute.ts';

interface ErrorGroupRoutesOptions {
  readonly errorGroups: ErrorGroupService;
  readonly agentErrors: Pick<AgentErrorService, 'listOfGroup'>;
  readonly clock: Clock;
  readonly actors: ActorNameService;
}

export function mountErrorGroupRoutes(
  mounter: RouteMounter,
  { errorGroups, agentErrors, clock, actors }: ErrorGroupRoutesOptions,
): void {
  const explanations = new GroupExplanations();
  const readActors = (rows: readonly CountedErrorGroup[]): Promise<ToActor> =>
    actors.read(
      rows.flatMap((row) => [
        { kind: row.muted_by_kind, id: row.muted_by_id },
        { kind: row.noted_by_kind, id: row.noted_by_id },
        { kind: 'user', id: row.assignee_id },
      ]),
    );
  const toErrorGroup = (row: CountedErrorGroup, context: GroupsContext, toActor: ToActor): AgentErrorGroup =>
    toAnswer(row, context, { now: clock(), explanation: explanations.of(row.example), toActor });

  mounter.mount(
    routes.listAgentErrorGroups,
    async ({ principal, params: { projectID }, query, request, reply }) => {
      const { sort = 'lastSeen' } = query;
      const state = readErrorState(query);
      const kind = query.muted === undefined ? '' : query.muted ? 'muted ' : 'unmuted ';
      const list = `${kind}groups of ${state} errors of project ${projectID} by ${sort}`;
      const muted = query.muted === undefined ? undefined : { is: query.muted, at: clock() };
      const since = readTimeParameter('since', query.since);
      const until = readTimeParameter('until', query.until);
      const part = { fleetID: query.fleet_id, coreInstanceID: query.core_instance_id?.toLowerCase() };
      const filter = { projectID, state, text: query.q, ...part, since, until, muted };
      const page = readSortedPage(list, query);
      const groups = await errorGroups.list(principal, filter, sort, page, hangUpSignal(request, reply));
      const last = groups.hasNext ? groups.rows.at(-1) : undefined;
      if (last !== undefined) {
        const place = { id: last.id, value: last.position_value };
        reply.header('Link', nextSortedPageLink(list, request.url, place));
      }
      const toActor = await readActors(groups.rows);
      return groups.rows.map((row) => toErrorGroup(row, groups, toActor));
    },
    {
      takesTurns: ({ q, fleet_id, core_instance_id, muted }) =>
        !isGroupSearch({
          text: asText(q),
          fleetID: asText(fleet_id),
          coreInstanceID: asText(core_instance_id),
          muted: { is: muted === true, at: 0 },
        }),
    },
  );

  const get = async (...call: Parameters<ErrorGroupService['get']>): Promise<AgentErrorGroup> => {
    const { row, ...context } = await errorGroups.get(...call);
    return toErrorGroup(row, context, await readActors([row]));
  };

  mounter.mount(routes.getAgentErrorGroup, ({ principal, params }) =>
    get(principal, params.agentErrorGroupID),
  );

  mounter.mount(routes.listAgentErrorGroupAgents, async (call) => {
    const { agentErrorGroupID: id } = call.params;
    const state = readErrorState(call.query);
    const list = `agents with ${state} errors of group ${id}`;
    const page = await errorGroups.listAgents(call.principal, id, state, pageOf(list, call));
    return answerPage(list, call, page, (row) => ({
      id: row.id,
      name: row.name,
      machineID: row.machine_id,
      version: row.version,
      fleetID: row.fleet_id,
      configID: row.config_id,
      fleet: page.fleets.get(row.id) ?? null,
      lastSeenAt: toTimestamp(row.last_seen_at),
      errorsCount: row.errors_count,
      openError: page.openErrors.get(row.id) ?? null,
    }));
  });

  mounter.mount(
    routes.listAgentErrorGroupErrors,
    async (call) => {
      const { agentErrorGroupID: groupID } = call.params;
      const { dismissed, current } = call.query;
      const list = `errors of group ${groupID}`;
      const projectID = await errorGroups.projectOf(call.principal, groupID);
      const page = await agentErrors.listOfGroup(
        call.principal,
        { groupID, projectID, dismissed, current },
        pageOf(list, call),
        hangUpSignal(call.request, call.reply),
      );
      return answerPage(list, call, page, await toAgentErrorsOf(actors, page.rows));
    },
    { takesTurns: ({ dismissed, current }) => dismissed === undefined && current === undefined },
  );

  mounter.mount(routes.getAgentErrorGroupHistory, async ({ principal, params, query, request, reply }) => {
    const { bucket = 'hour' } = query;
    const since = readTimeParameter('since', query.since);
    const until = readTimeParameter('until', query.until);
    const history = await errorGroups.listHistory(
      principal,
      params.agentErrorGroupID,
      { bucket, since, until },
      hangUpSignal(request, reply),
    );
    const buckets = history.map(({ startsAt, errors, agents }) => ({
      startsAt: toTimestamp(startsAt),
      errorsCount: errors,
      agentsCount: agents,
    }));
    return { bucket, buckets };
  });

  mounter.mount(routes.getAgentErrorGroupOrigin, async ({ principal, params, request, reply }) => {
    const id = params.agentErrorGroupID;
    return toOriginAnswer(await errorGroups.findOrigin(principal, id, hangUpSignal(request, reply)));
  });

  mounter.mount(routes.getAgentErrorGroupTrends, async ({ principal, params, request, reply }) => {
    const hangUp = hangUpSignal(request, reply);
    const { since, groups } = await errorGroups.listTrends(principal, params.projectID, hangUp);
    const answers = groups.map(({ groupID, agentsCounts }) => ({ groupID, agentsCounts: [...agentsCounts] }));
    return { since: toTimestamp(since), groups: answers };
  });

  mounter.mount(routes.updateAgentErrorGroups, async ({ principal, params, body }) => {
    const { groupIDs, assigneeID, note, link } = body;
    const change = { assigneeID: assigneeID?.toLowerCase() ?? assigneeID, note, link };
    const groups = await errorGroups.note(principal, params.projectID, groupIDs, change);
    const toActor = await readActors(groups.rows);
    return groups.rows.map((row) => toErrorGroup(row, groups, toActor));
  });

  mounter.mount(
    routes.muteAgentErrorGroup,
    async ({ principal, params: { agentErrorGroupID: id }, body }) => {
      const { reason, endsWithConfiguration = false, moreAgents } = body;
      const until = readMuteEnd(body.until, clock());
      await errorGroups.mute(principal, id, { until, reason, endsWithConfiguration, moreAgents });
      return get(principal, id);
    },
  );

  mounter.mount(
    routes.unmuteAgentErrorGroup,
    async ({ principal, params: { agentErrorGroupID: id }, query }) => {
      await errorGroups.unmute(principal, id, readTimeParameter('muted_until', query.muted_until));
      return get(principal, id);
    },
  );
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** @throws Refusal invalid_query_parameter */
function readErrorState({
  dismissed,
  current,
  muted,
}: {
  readonly dismissed?: boolean;
  readonly current?: boolean;
  readonly muted?: boolean;
}): ErrorState {
  if (dismissed === true) {
    if (current === undefined) return 'dismissed';
    throw invalidParameter(
      'current',
      'cannot be combined with dismissed=true: the dismissed errors of a group are counted together',
    );
  }
  if (current === undefined) {
    if (dismissed === false) return 'open';
    return muted === true ? 'any' : 'current';
  }
  return current ? 'current' : 'superseded';
}

/** @throws Refusal invalid_body */
function readMuteEnd(text: string, now: number): number {
  const until = parseTimestamp(text);
  if (until === undefined) {
    throw invalidBody([
      { path: '/until', message: 'must be an ISO 8601 time with its zone, such as 2027-01-31T00:00:00Z' },
    ]);
  }
  if (until <= now) throw invalidBody([{ path: '/until', message: 'must be in the future' }]);
  return until;
}

function toOriginAnswer(origin: GroupOrigin): AgentErrorGroupOrigin {
  const { first, affected, configured, inFleets, firstFleet, lastFleet, allConfigured, agentsCount } = origin;
  return {
    first:
      first === undefined
        ? null
        : {
            agentID: first.agentID,
            agentName: first.agentName,
            configID: first.configID,
            configuredAt: toTimestamp(first.configuredAt),
          },
    affectedCount: affected,
    fleetID: inFleets === affected && firstFleet === lastFleet ? firstFleet : null,
    configuredCount: allConfigured,
    affectedConfiguredCount: configured,
    agentsCount,
  };
}

const newForMilliseconds = 24 * 3_600_000;

function toAnswer(
  row: CountedErrorGroup,
  { agentsCount, countedAt }: GroupsContext,
  {
    now,
    explanation,
    toActor,
  }: {
    readonly now: number;
    readonly explanation: AgentErrorGroup['explanation'];
    readonly toActor: ToActor;
  },
): AgentErrorGroup {
  const isMuted = lastsAt(row.muted_until, now);
  return {
    id: row.id,
    pattern: row.pattern,
    example: row.example,
    agentsCount: row.agents_count,
    // An agent may be registered or deleted between the two counts.
    agentsShare: agentsCount === 0 ? 0 : Math.min(1, row.agents_count / agentsCount),
    errorsCount: row.errors_count,
    errorsByState: {
      current: row.current_errors,
      superseded: row.superseded_errors,
      dismissed: row.dismissed_errors,
    },
    storedAgentsCount: row.agents,
    occurrences: row.occurrences,
    firstSeenAt: toTimestamp(row.first_seen_at),
    lastSeenAt: toTimestamp(row.last_seen_at),
    firstConfigID: row.first_config_id,
    isNew: now - row.first_seen_at < newForMilliseconds,
    dismissedAt: toNullableTimestamp(row.dismissed_at),
    regressedAt: toNullableTimestamp(row.regressed_at),
    mutedUntil: isMuted ? toNullableTimestamp(row.muted_until) : null,
    muteEndsWithConfiguration: isMuted && row.mute_ends_with_config === 1,
    muteEndsAtAgentsCount: isMuted ? row.mute_ends_at_agents : null,
    muteReason: isMuted ? row.mute_reason : null,
    mutedBy:
      isMuted && row.muted_by_kind !== null
        ? toActor({ kind: row.muted_by_kind, id: row.muted_by_id })
        : null,
    assignee: row.assignee_id === null ? null : toActor({ kind: 'user', id: row.assignee_id }),
    note: row.note,
    link: row.link,
    notedAt: toNullableTimestamp(row.noted_at),
    notedBy: row.noted_by_kind === null ? null : toActor({ kind: row.noted_by_kind, id: row.noted_by_id }),
    explanation,
    countedAt: toTimestamp(Math.max(countedAt, row.counted_at ?? 0)),
  };
}
