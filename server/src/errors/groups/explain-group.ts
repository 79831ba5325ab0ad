import type { AgentErrorGroup } from '@muster/contract';
import { explainError } from '@muster/faults/explain';
import { TwoGenerations } from '../../foundation/two-generations.ts';

type Explanation = AgentErrorGroup['explanation'];

/** Pages of groups explain the same texts again and again. */
const maxTextsOfGeneration = 2_000;

/** Explains the examples of groups, and remembers the explanations. */
export class GroupExplanations {
  readonly #known = new TwoGenerations<string, { readonly explanation: Explanation }>(maxTextsOfGeneration);

  of(example: string): Explanation {
    const known = this.#known.get(example);
    if (known !== undefined) return known.explanation;
    const explanation = explain(example);
    this.#known.set(example, { explanation });
    return explanation;
  }
}

function explain(example: string): Explanation {
  const found = explainError(example);
  if (found === undefined) return null;
  const { id, title, meaning, causes, actions, link, suggestion = null } = found;
  return { id, title, meaning, causes: [...causes], actions: [...actions], link, suggestion };
}
