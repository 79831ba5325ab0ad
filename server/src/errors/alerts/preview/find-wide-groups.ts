import type { SearchTurn } from '../../../foundation/database/searches.ts';
import { type Rule, reaches } from '../rules/rule-conditions.ts';
import { readFleetCounts } from '../rules/subject-store.ts';
import type { PreviewedTime } from './previewed-time.ts';
import {
  type CreatedError,
  listCreatedErrors,
  listWideGroups,
  type PastGroup,
} from './rule-preview-store.ts';

/** Errors that are looked at, so that a preview takes less than a second, whatever is stored. */
const maxErrors = 100_000;
const usualWindowSeconds = 3_600;

/** When groups were on so many agents within the window of a rule, oldest first, each at most once in its cool-down. */
export async function findWideGroups(
  { db, goOn }: SearchTurn,
  rule: Rule,
  { engine, since, until }: PreviewedTime,
): Promise<{ readonly groups: PastGroup[]; readonly isCut: boolean }> {
  const windowMilliseconds = (rule.windowSeconds ?? usualWindowSeconds) * 1_000;
  const { agents: ofAgents } = await readFleetCounts(db, rule.projectID);
  const isEnough = (count: number): boolean => reaches(rule, count, ofAgents);
  const begin = since - windowMilliseconds;
  const candidates = await listWideGroups(db, rule.projectID, {
    since,
    agents: Math.min(
      rule.agents ?? Number.POSITIVE_INFINITY,
      rule.share === null ? Number.POSITIVE_INFINITY : Math.ceil(rule.share * ofAgents),
    ),
  });
  const groups: PastGroup[] = [];
  let left = maxErrors;
  for (const { id } of candidates) {
    if (left === 0) break;
    goOn();
    const errors = await listCreatedErrors(db, engine, id, begin, left);
    left -= errors.length;
    const reached = findReached(errors.reverse(), { windowMilliseconds, isEnough, rule });
    groups.push(...reached.filter(({ at }) => at >= since && at < until).map((one) => ({ id, ...one })));
  }
  return { groups: groups.sort((one, other) => one.at - other.at), isCut: left === 0 };
}

interface Reaching {
  readonly windowMilliseconds: number;
  readonly isEnough: (agents: number) => boolean;
  readonly rule: Pick<Rule, 'cooldownMilliseconds'>;
}

/** When enough agents had created an error within the window, with their number. @param errors oldest first */
function findReached(errors: readonly CreatedError[], { windowMilliseconds, isEnough, rule }: Reaching) {
  const reached: { readonly at: number; readonly agents: number }[] = [];
  const inWindow = new Map<CreatedError['agent'], number>();
  let first = 0;
  for (const { agent, at } of errors) {
    inWindow.set(agent, (inWindow.get(agent) ?? 0) + 1);
    for (let oldest = errors[first]; oldest !== undefined && oldest.at < at - windowMilliseconds; ) {
      const rest = (inWindow.get(oldest.agent) ?? 0) - 1;
      if (rest === 0) inWindow.delete(oldest.agent);
      else inWindow.set(oldest.agent, rest);
      first += 1;
      oldest = errors[first];
    }
    const last = reached.at(-1);
    const isCooledDown = last === undefined || at - last.at >= rule.cooldownMilliseconds;
    if (isCooledDown && isEnough(inWindow.size)) reached.push({ at, agents: inWindow.size });
  }
  return reached;
}
