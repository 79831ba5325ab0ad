import type { AgentErrorGroup } from '@muster/client';
import { Moment } from '../../parts/moment.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { causesTexts } from '../../texts/causes.ts';
import type { Change } from './change-of.ts';

interface SinceLineProps {
  readonly cause: AgentErrorGroup;
  readonly change: Change | undefined;
}

/** Such as "Since 14:02, after release 42". */
export function SinceLine({ cause: { firstSeenAt, regressedAt, firstConfigID }, change }: SinceLineProps) {
  if (regressedAt !== null)
    return (
      <>
        {causesTexts.cameBackAt} <Moment at={regressedAt} />, {causesTexts.firstSeenAt}{' '}
        <Moment at={firstSeenAt} />
      </>
    );
  return (
    <>
      {causesTexts.sinceStart} <Moment at={firstSeenAt} />
      {change !== undefined ? (
        <>
          , {causesTexts.after} <NameText text={change.name} />
        </>
      ) : (
        firstConfigID !== null && (
          <>
            , {causesTexts.with} <code title={firstConfigID}>{firstConfigID.slice(-8)}</code>
          </>
        )
      )}
    </>
  );
}
