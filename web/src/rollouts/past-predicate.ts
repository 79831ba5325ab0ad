import type { AgentErrorGroup } from '@muster/client';
import { predicateOf } from '../causes/cause-headline.ts';
import { rolloutsTexts } from '../texts/rollouts.ts';

const past: Readonly<Record<string, string>> = {
  cannot: 'could not',
  has: 'had',
  have: 'had',
  is: 'was',
  are: 'were',
};

/** What was wrong with them, such as "could not reach their destination". */
export function pastPredicateOf(cause: Pick<AgentErrorGroup, 'explanation'>, agentsCount: number): string {
  const predicate = predicateOf(cause, agentsCount);
  const [verb = '', ...rest] = predicate.split(' ');
  const said = past[verb];
  if (said !== undefined) return [said, ...rest].join(' ');
  return rolloutsTexts.hadError(cause.explanation?.title);
}
