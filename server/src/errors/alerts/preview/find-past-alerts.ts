import type { AlertRuleKind } from '@muster/contract';
import type { SearchTurn } from '../../../foundation/database/searches.ts';
import {
  describeExpiringToken,
  describeGroup,
  describeMember,
  describeStoppedRollout,
  describeWildcardToken,
} from '../rules/describe-alert.ts';
import { gotWildcard } from '../rules/find-alerts.ts';
import { type Rule, reaches } from '../rules/rule-conditions.ts';
import { listUnreachableSites, readFleetCounts, readGroups } from '../rules/subject-store.ts';
import { findWideGroups } from './find-wide-groups.ts';
import type { PreviewedTime } from './previewed-time.ts';
import {
  listMembersSince,
  listNewGroups,
  listRegressedGroups,
  listStoppedRollouts,
  listTokens,
  type PastGroup,
} from './rule-preview-store.ts';

/** What a rule would have told, and when. */
interface PastAlert {
  /** Milliseconds. */
  readonly at: number;
  readonly subject: string;
  readonly title: string;
  readonly text: string | null;
}

export interface PastAlerts {
  /** Undefined: what is stored does not tell it. */
  readonly count: number | undefined;
  /** When each of them would have been told, in milliseconds, oldest first. */
  readonly times: readonly number[];
  /** The newest, newest first. */
  readonly newest: readonly PastAlert[];
  /** Whether it would tell at once; undefined of something that happens. */
  readonly appliesNow?: boolean;
  readonly limits: readonly string[];
}

const dayMilliseconds = 86_400_000;
const usualDays = 7;

const agentsAreOfNow =
  'Titles count the agents with stored errors of the group and the agents of the project as they are now, because earlier numbers are not stored.';

/** What a rule would have told in a time, as far as it can be read from what is stored. */
export function findPastAlerts(turn: SearchTurn, rule: Rule, time: PreviewedTime): Promise<PastAlerts> {
  return finders[rule.kind](turn, rule, time);
}

type Finder = (turn: SearchTurn, rule: Rule, time: PreviewedTime) => Promise<PastAlerts>;

const finders: Readonly<Record<AlertRuleKind, Finder>> = {
  async new_group(turn, rule, time) {
    const groups = await listNewGroups(turn.db, rule.projectID, time);
    return describeGroups(turn, rule, time, groups, [agentsAreOfNow]);
  },

  async regression(turn, rule, time) {
    const groups = await listRegressedGroups(turn.db, rule.projectID, time.since);
    return describeGroups(turn, rule, time, groups, [
      'A group whose errors were dismissed again after it had come back is not counted, and one that came back several times is counted once, because only the last return is stored.',
      agentsAreOfNow,
    ]);
  },

  async widespread_group(turn, rule, time) {
    const { groups, isCut } = await findWideGroups(turn, rule, time);
    const cut = isCut
      ? ['There were too many errors to look at all of them, so older messages may be missing.']
      : [];
    return describeGroups(turn, rule, time, groups, [
      ...cut,
      'Dismissed errors count as if they had been open, and the share is that of the agents that the project has now.',
    ]);
  },

  async agents_offline({ db }, rule) {
    const { agents, offline } = await readFleetCounts(db, rule.projectID);
    return {
      count: undefined,
      times: [],
      newest: [],
      appliesNow: reaches(rule, offline, agents),
      limits: ['How many agents were offline earlier is not stored, so only the state of now is known.'],
    };
  },

  async core_instance_unreachable({ db }, rule, { until }) {
    const sites = await listUnreachableSites(db, rule.projectID, until);
    return {
      count: undefined,
      times: [],
      newest: [],
      appliesNow: sites.length > 0,
      limits: [
        'Which core instances were unreachable earlier is not stored, so only the state of now is known.',
      ],
    };
  },

  async rollout_stopped({ db }, rule, { since, until, maxDescribed }) {
    const told = await listStoppedRollouts(db, rule.projectID, { since, until });
    return {
      ...countOf(told),
      newest: newestOf(told, maxDescribed).map(({ at, ...rollout }) => ({
        at,
        ...shown(describeStoppedRollout(rule, rollout)),
      })),
      limits: ['Rollouts that waited for a person are not counted, because that is not stored.'],
    };
  },

  async token_expiring({ db }, rule, { since, until, maxDescribed }) {
    const ahead = (rule.days ?? usualDays) * dayMilliseconds;
    const tokens = await listTokens(db, rule.projectID, {
      column: 'expires_at',
      since,
      until: until + ahead,
    });
    const found = tokens.flatMap((token) => {
      const expiresAt = token.expires_at ?? Number.POSITIVE_INFINITY;
      const at = Math.max(expiresAt - ahead, token.created_at);
      const endedAt = Math.min(expiresAt, token.revoked_at ?? Number.POSITIVE_INFINITY);
      return at < endedAt ? [{ token, at, endedAt }] : [];
    });
    const told = found.filter(({ at }) => at >= since && at < until).sort((one, other) => one.at - other.at);
    return {
      ...countOf(told),
      newest: newestOf(told, maxDescribed).map(({ token, at }) => ({
        at,
        ...shown(describeExpiringToken(rule, token)),
      })),
      appliesNow: found.some(({ at, endedAt }) => at < until && endedAt >= until),
      limits: ['The expiry of each token is that of now, also if it was changed meanwhile.'],
    };
  },

  async wildcard_token({ db }, rule, { since, until, maxDescribed }) {
    const tokens = await listTokens(db, rule.projectID, { column: 'created_at', since, until });
    const told = tokens
      .filter(({ permissions }) => gotWildcard(permissions))
      .map((token) => ({ token, at: token.created_at }));
    return {
      ...countOf(told),
      newest: newestOf(told, maxDescribed).map(({ token, at }) => ({
        at,
        ...shown(describeWildcardToken(rule, token)),
      })),
      limits: ['Tokens that were created earlier and got a wildcard in this time are not counted.'],
    };
  },

  async member_added({ db }, rule, { since, maxDescribed }) {
    const members = await listMembersSince(db, rule.projectID, since);
    const told = members.map((member) => ({ member, at: member.created_at }));
    return {
      ...countOf(told),
      newest: newestOf(told, maxDescribed).map(({ member, at }) => ({
        at,
        ...shown(describeMember(rule, { userID: member.user_id, name: member.name, role: member.role })),
      })),
      limits: ['Members who have been removed since are not counted.'],
    };
  },
};

async function describeGroups(
  { db }: SearchTurn,
  rule: Rule,
  { maxDescribed }: PreviewedTime,
  groups: readonly PastGroup[],
  limits: readonly string[],
): Promise<PastAlerts> {
  const newest = newestOf(groups, maxDescribed);
  const known = await readGroups(db, [...new Set(newest.map(({ id }) => id))]);
  const fleet = await readFleetCounts(db, rule.projectID);
  return {
    ...countOf(groups),
    newest: newest.flatMap(({ id, at, agents }) => {
      const group = known.get(id);
      if (group === undefined) return [];
      return [{ at, ...shown(describeGroup(rule, { ...group, current_agents: agents }, fleet)) }];
    }),
    limits,
  };
}

function shown({
  subject,
  title,
  text,
}: {
  readonly subject: string;
  readonly title: string;
  readonly text?: string | undefined;
}) {
  return { subject, title, text: text ?? null };
}

function countOf(told: readonly { readonly at: number }[]) {
  return { count: told.length, times: told.map(({ at }) => at) };
}

function newestOf<Item>(told: readonly Item[], limit: number): Item[] {
  return told.slice(-limit).reverse();
}
