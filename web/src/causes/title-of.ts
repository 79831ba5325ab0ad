import type { AgentErrorGroup } from '@muster/client';

/** What a person calls a cause: the title of the catalogue. Undefined: the error is not known there. */
export function titleOf({ explanation }: Pick<AgentErrorGroup, 'explanation'>): string | undefined {
  return explanation?.title;
}
