import { type AlertRuleKind, type Grant, surplusGrants } from '@muster/contract';
import type { Clock } from '../../../foundation/clock.ts';
import type { Database } from '../../../foundation/database/database.ts';
import {
  describeExpiringToken,
  describeGroup,
  describeMember,
  describeOffline,
  describeStoppedRollout,
  describeUnreachableSite,
  describeWildcardToken,
} from './describe-alert.ts';
import type { Finding } from './note-changes.ts';
import { type Rule, reaches } from './rule-conditions.ts';
import {
  countAgentsSince,
  type FleetCounts,
  listEndedTokenAlerts,
  listExpiringTokens,
  listOpenGroupAlerts,
  listOpenSubjects,
  listUnreachableSites,
  readFleetCounts,
  readGroups,
  readTokens,
  type WatchedEvent,
} from './subject-store.ts';

interface Searched {
  readonly database: Database;
  readonly clock: Clock;
  readonly projectID: string;
  readonly rules: readonly Rule[];
}

const usualWindowSeconds = 3_600;
const usualDays = 7;
const dayMilliseconds = 86_400_000;

const kindOfEvent: Readonly<Record<string, AlertRuleKind>> = {
  'agent_error_group.new': 'new_group',
  'agent_error_group.regressed': 'regression',
  'agent_error.created': 'widespread_group',
  'token.created': 'wildcard_token',
  'token.updated': 'wildcard_token',
  'member.added': 'member_added',
  'rollout.stopped': 'rollout_stopped',
  'rollout.paused': 'rollout_stopped',
  'rollout.waiting': 'rollout_stopped',
};

/** The data of an event that a rule looks at. Which of them it has depends on its type. */
interface EventData {
  readonly groupID?: string;
  readonly tokenID?: string;
  /** Of a token that was changed. */
  readonly permissionsBefore?: readonly Grant[];
  readonly userID?: string;
  readonly name?: string;
  readonly role?: string;
  readonly rolloutID?: string;
  readonly fleetID?: string;
  readonly version?: number;
  /** Why a rollout stopped or waits. */
  readonly rule?: string;
}

/** What events start. */
export async function findInEvents(
  { database, clock, projectID, rules }: Searched,
  events: readonly WatchedEvent[],
): Promise<Finding[]> {
  const { read, engine } = database;
  const now = clock();
  const seen = events.map((event) => ({
    event,
    kind: kindOfEvent[event.type],
    data: JSON.parse(event.data) as EventData, // written by the service alone
  }));
  const idsOf = (pick: (data: EventData) => string | undefined) => [
    ...new Set(seen.flatMap(({ data }) => pick(data) ?? [])),
  ];
  const wantsGroups = rules.some(({ kind }) => isGroupKind(kind));
  const groups = await readGroups(read, wantsGroups ? idsOf(({ groupID }) => groupID) : []);
  const wantsTokens = rules.some(({ kind }) => kind === 'wildcard_token');
  const tokens = new Map(
    (await readTokens(read, projectID, wantsTokens ? idsOf(({ tokenID }) => tokenID) : [])).map((token) => [
      token.id,
      token,
    ]),
  );
  const fleet = await readFleetCounts(read, projectID);
  const findings: Finding[] = [];
  for (const rule of rules) {
    const ofRule = seen.filter(({ kind, event }) => kind === rule.kind && event.created_at >= rule.createdAt);
    const groupIDs = new Set(ofRule.flatMap(({ data }) => data.groupID ?? []));
    const ofGroups = [...groupIDs]
      .map((id) => groups.get(id))
      .filter((group) => group !== undefined)
      .filter((group) => (group.muted_until ?? 0) <= now && group.current_errors > 0);
    const wide =
      rule.kind === 'widespread_group'
        ? await countAgentsSince(
            read,
            engine,
            // Cheap to know: fewer agents than that cannot be enough.
            ofGroups.filter((group) => reaches(rule, group.current_agents, fleet.agents)).map(({ id }) => id),
            now - (rule.windowSeconds ?? usualWindowSeconds) * 1_000,
          )
        : undefined;
    for (const group of ofGroups) {
      if (wide !== undefined && !reaches(rule, wide.get(group.id) ?? 0, fleet.agents)) continue;
      const content = describeGroup(rule, group, fleet);
      findings.push({ rule, content, weight: group.current_agents, isMoment: false });
    }
    for (const { data } of ofRule) {
      const token = tokens.get(data.tokenID ?? '');
      if (
        rule.kind === 'wildcard_token' &&
        token !== undefined &&
        gotWildcard(token.permissions, data.permissionsBefore)
      ) {
        findings.push({ rule, content: describeWildcardToken(rule, token), weight: 0, isMoment: true });
      }
      const { userID, name = '', role = '' } = data;
      if (rule.kind === 'member_added' && userID !== undefined) {
        const content = describeMember(rule, { userID, name, role });
        findings.push({ rule, content, weight: 0, isMoment: true });
      }
      if (rule.kind !== 'rollout_stopped') continue;
      const { rolloutID, fleetID, version, rule: reason = '' } = data;
      // What somebody does is no news to them, and a freeze ends by itself.
      if (reason === 'person' || reason === 'freeze') continue;
      if (rolloutID === undefined || fleetID === undefined || version === undefined) continue;
      const content = describeStoppedRollout(rule, { rolloutID, fleetID, name, version, reason });
      findings.push({ rule, content, weight: 0, isMoment: true });
    }
  }
  return findings;
}

/** Finds the conditions that hold at this moment, and the open alerts whose condition has ended. */
export async function findInState({ database, clock, projectID, rules }: Searched): Promise<{
  readonly findings: readonly Finding[];
  readonly overIDs: readonly string[];
}> {
  const { read } = database;
  const now = clock();
  const fleet = await readFleetCounts(read, projectID);
  const findings: Finding[] = [];
  const overIDs: string[] = [];
  for (const rule of rules) {
    if (rule.kind === 'agents_offline') {
      const open = await listOpenSubjects(read, rule.id);
      if (!reaches(rule, fleet.offline, fleet.agents)) overIDs.push(...open.map(({ id }) => id));
      else if (open.length === 0) {
        findings.push({
          rule,
          content: describeOffline(rule, fleet),
          weight: fleet.offline,
          isMoment: false,
        });
      }
    }
    if (rule.kind === 'core_instance_unreachable') {
      const sites = await listUnreachableSites(read, projectID, now);
      const open = await listOpenSubjects(read, rule.id);
      const known = new Set(open.map(({ subject }) => subject));
      const missed = new Set(sites.map(({ id }) => id));
      overIDs.push(...open.filter(({ subject }) => !missed.has(subject)).map(({ id }) => id));
      for (const site of sites.filter(({ id }) => !known.has(id))) {
        const content = describeUnreachableSite(rule, site);
        findings.push({ rule, content, weight: site.agents, isMoment: false });
      }
    }
    if (rule.kind === 'token_expiring') {
      const time = { now, before: now + (rule.days ?? usualDays) * dayMilliseconds };
      overIDs.push(...(await listEndedTokenAlerts(read, rule, time)));
      for (const token of await listExpiringTokens(read, rule, time)) {
        findings.push({ rule, content: describeExpiringToken(rule, token), weight: 0, isMoment: false });
      }
    }
  }
  overIDs.push(...(await findOverGroups(read, projectID, rules, fleet, now)));
  return { findings, overIDs };
}

/** A group is over when no open error of a current configuration is left, or it is muted; a wide one also when it is on fewer agents. */
async function findOverGroups(
  db: Database['read'],
  projectID: string,
  rules: readonly Rule[],
  fleet: FleetCounts,
  now: number,
): Promise<string[]> {
  const ofGroups = new Map(rules.filter(({ kind }) => isGroupKind(kind)).map((rule) => [rule.id, rule]));
  const open = await listOpenGroupAlerts(db, projectID, [...ofGroups.keys()]);
  return open
    .filter((alert) => {
      const rule = ofGroups.get(alert.rule_id);
      if ((alert.current_errors ?? 0) === 0 || (alert.muted_until ?? 0) > now) return true;
      const isWide = rule?.kind === 'widespread_group';
      return isWide && !reaches(rule, alert.current_agents ?? 0, fleet.agents);
    })
    .map(({ id }) => id);
}

function isGroupKind(kind: AlertRuleKind): boolean {
  return kind === 'new_group' || kind === 'regression' || kind === 'widespread_group';
}

/** @param before absent: the token is new */
export function gotWildcard(permissions: string, before: readonly Grant[] = []): boolean {
  const grants = JSON.parse(permissions) as Grant[]; // written by the service alone
  return surplusGrants(before, grants).some((grant) => grant.includes('*'));
}
