import type { AgentErrorGroup } from '@muster/client';
import { predicates } from '../texts/cause-predicates.ts';
import { causesTexts } from '../texts/causes.ts';

type NamedCause = Pick<AgentErrorGroup, 'explanation' | 'pattern'>;

/** What a person calls it: the title of the catalogue. Undefined: the error is not known there. */
export function titleOf({ explanation }: Pick<NamedCause, 'explanation'>): string | undefined {
  return explanation?.title;
}

/** What is wrong with the agents, such as "cannot reach their destination". */
export function predicateOf({ explanation }: Pick<NamedCause, 'explanation'>, agentsCount: number): string {
  if (explanation === null) return causesTexts.haveSameError(agentsCount);
  const [one, many] = predicates[explanation.id] ?? [];
  if (one !== undefined && many !== undefined) return agentsCount === 1 ? one : many;
  return causesTexts.haveError(agentsCount, explanation.title);
}
