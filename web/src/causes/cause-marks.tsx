import type { AgentErrorGroup } from '@muster/client';
import { Moment } from '../parts/moment.tsx';
import { Tag } from '../parts/tag.tsx';
import { causeMarksTexts } from '../texts/cause-marks.ts';

/** What is special about a cause, in a word each. What came back after a dismissal is not new. */
export function CauseMarks({ cause }: { readonly cause: AgentErrorGroup }) {
  const { isNew, regressedAt, mutedUntil, dismissedAt, agentsCount } = cause;
  return (
    <>
      {isNew && regressedAt === null && agentsCount > 0 && <Tag tone="accent">{causeMarksTexts.isNew}</Tag>}
      {regressedAt !== null && (
        <Tag tone="warning">
          {causeMarksTexts.hasRegressed} <Moment at={regressedAt} />
        </Tag>
      )}
      {mutedUntil !== null && <Tag tone="quiet">{causeMarksTexts.isMuted}</Tag>}
      {dismissedAt !== null && <Tag tone="good">{causeMarksTexts.isDismissed}</Tag>}
    </>
  );
}
