import { explainError } from '@muster/faults/explain';
import { toTimestamp } from '../../../foundation/clock.ts';
import type { AlertContent, AlertFact } from '../messages/alert-message.ts';
import { dashboardPage } from '../messages/dashboard-page.ts';
import { cut } from '../messages/plain-text.ts';
import type { Rule } from './rule-conditions.ts';
import type { FleetCounts, WatchedGroup, WatchedSite, WatchedToken } from './subject-store.ts';

const maxTextLength = 2_048;

/** A group of errors, for the three kinds of rules about groups. */
export function describeGroup(
  rule: Rule,
  group: WatchedGroup,
  { agents: ofAgents }: Pick<FleetCounts, 'agents'>,
): AlertContent {
  const share = shareOf(group.current_agents, ofAgents);
  const titles: Partial<Record<Rule['kind'], string>> = {
    new_group: `New error on ${share}`,
    regression: `An error is back on ${share}`,
    widespread_group: `An error is spreading: ${share}`,
  };
  const found = explainError(group.example);
  return {
    rule: rule.kind,
    ruleName: rule.name,
    subject: group.id,
    title: titles[rule.kind] ?? rule.name,
    facts: [
      { label: 'Agents', value: share },
      { label: 'First seen', value: toTimestamp(group.first_seen_at) },
      { label: 'Since configuration', value: group.first_config_id ?? 'unknown' },
    ],
    text: cut(group.example, maxTextLength),
    ...(found !== undefined && {
      explanation: {
        title: found.title,
        meaning: found.meaning,
        actions: [
          ...found.actions,
          ...(found.suggestion === undefined ? [] : [`Did you mean '${found.suggestion}'?`]),
        ],
        link: found.link,
      },
    }),
    path: dashboardPage({ kind: 'group', projectID: rule.projectID, id: group.id }),
    command: `muster error get ${group.id}`,
    severity: rule.kind === 'widespread_group' ? 'critical' : 'warning',
  };
}

export function describeOffline(rule: Rule, { agents, offline }: FleetCounts): AlertContent {
  return {
    rule: rule.kind,
    ruleName: rule.name,
    subject: rule.projectID,
    title: `${shareOf(offline, agents)} ${offline === 1 ? 'is' : 'are'} offline`,
    facts: [{ label: 'Offline', value: shareOf(offline, agents) }],
    path: dashboardPage({ kind: 'offline_agents', projectID: rule.projectID }),
    command: 'muster agent list --status offline',
    severity: 'critical',
  };
}

export function describeUnreachableSite(rule: Rule, site: WatchedSite): AlertContent {
  return {
    rule: rule.kind,
    ruleName: rule.name,
    subject: site.id,
    title: `Site '${site.name}' is unreachable`,
    facts: [
      { label: 'Last heard', value: toTimestamp(site.last_contact_at) },
      { label: 'Agents behind it', value: String(site.agents) },
    ],
    path: dashboardPage({ kind: 'site', projectID: rule.projectID, id: site.id }),
    command: `muster core-instance get ${site.id}`,
    severity: 'critical',
  };
}

/** A rollout that stopped by itself, or waits for a person. */
export interface StoppedRollout {
  readonly rolloutID: string;
  readonly fleetID: string;
  /** Of the fleet. */
  readonly name: string;
  readonly version: number;
  /** The rule of its verdict. */
  readonly reason: string;
}

const whyStopped: Readonly<Record<string, string>> = {
  hard_failures: 'stopped: agents rejected it, crashed with it, or fell silent',
  new_cause: 'stopped: agents that have it report an error that the others do not',
  unhealthy: 'stopped: too many agents that have it report errors',
  approval: 'waits for you: the next stage needs an approval',
  not_enough_evidence: 'waits for you: too few agents have shown that they work with it',
  silent_sites: 'waits for you: sites do not deliver what their agents report',
};

export function describeStoppedRollout(rule: Rule, rollout: StoppedRollout): AlertContent {
  const { rolloutID, fleetID, name, version, reason } = rollout;
  return {
    rule: rule.kind,
    ruleName: rule.name,
    subject: rolloutID,
    title: `Version ${version} of fleet '${name}' ${whyStopped[reason] ?? 'stopped'}`,
    facts: [
      { label: 'Fleet', value: name },
      { label: 'Version', value: String(version) },
    ],
    path: dashboardPage({ kind: 'rollout', projectID: rule.projectID, fleetID, id: rolloutID }),
    command: `muster rollout get ${rolloutID}`,
    severity: 'critical',
  };
}

export function describeExpiringToken(rule: Rule, token: WatchedToken): AlertContent {
  const expires = token.expires_at === null ? 'never' : toTimestamp(token.expires_at);
  const used = token.last_used_at === null ? 'never' : toTimestamp(token.last_used_at);
  return {
    ...describeToken(rule, token),
    title: `Token '${token.name}' expires at ${expires}`,
    facts: [
      { label: 'Expires', value: expires },
      { label: 'Last used', value: used },
    ],
    command: `muster token usage ${token.id}`,
    severity: 'warning',
  };
}

export function describeWildcardToken(rule: Rule, token: WatchedToken): AlertContent {
  const permissions = (JSON.parse(token.permissions) as string[]).join(', '); // written by the service alone
  const by: AlertFact[] =
    token.created_by_name === null ? [] : [{ label: 'Created by', value: token.created_by_name }];
  return {
    ...describeToken(rule, token),
    title: `Token '${token.name}' has wildcard permissions`,
    facts: [{ label: 'Permissions', value: permissions }, ...by],
    command: `muster token usage ${token.id}`,
    severity: 'warning',
  };
}

function describeToken(rule: Rule, { id }: WatchedToken) {
  const path = dashboardPage({ kind: 'token', projectID: rule.projectID, id });
  return { rule: rule.kind, ruleName: rule.name, subject: id, path };
}

export function describeMember(
  rule: Rule,
  { userID, name, role }: { readonly userID: string; readonly name: string; readonly role: string },
): AlertContent {
  return {
    rule: rule.kind,
    ruleName: rule.name,
    subject: userID,
    title: `'${name}' is a member now`,
    facts: [
      { label: 'User', value: name },
      { label: 'Role', value: role },
    ],
    path: dashboardPage({ kind: 'members', projectID: rule.projectID }),
    command: 'muster member list',
    severity: 'info',
  };
}

/** `37 of 40 agents (92.5%)` */
function shareOf(count: number, ofAgents: number): string {
  // The counts of a group and of all agents are read one after the other.
  const all = Math.max(count, ofAgents);
  if (all === 0) return 'no agent';
  const percent = (count / all) * 100;
  const shown = percent > 0 && percent < 0.1 ? '<0.1' : String(Math.round(percent * 10) / 10);
  return `${count} of ${all} ${all === 1 ? 'agent' : 'agents'} (${shown}%)`;
}
