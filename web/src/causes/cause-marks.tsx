import type { AgentErrorGroup } from '@muster/client';
import { StatusBadge } from '../parts/status-badge.tsx';
import { causesTexts } from '../texts/causes.ts';

/** What is special about a cause, in a word each. */
export function CauseMarks({ cause }: { readonly cause: AgentErrorGroup }) {
  const { isNew, regressedAt, mutedUntil, dismissedAt } = cause;
  return (
    <>
      {isNew && regressedAt === null && <StatusBadge tone="accent" text={causesTexts.isNew} />}
      {regressedAt !== null && <StatusBadge tone="warning" text={causesTexts.hasRegressed} />}
      {mutedUntil !== null && <StatusBadge tone="quiet" text={causesTexts.isMuted} />}
      {dismissedAt !== null && <StatusBadge tone="good" text={causesTexts.isDismissed} />}
    </>
  );
}
