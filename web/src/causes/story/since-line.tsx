import type { AgentErrorGroup } from '@muster/client';
import type { Change } from '@muster/contract';
import { formatDuration } from '../../parts/format-duration.ts';
import { Moment } from '../../parts/moment.tsx';
import { useTime } from '../../parts/use-time.ts';
import { causesTexts } from '../../texts/causes.ts';
import { ChangeName } from './change-name.tsx';

interface SinceLineProps {
  readonly cause: AgentErrorGroup;
  /** Undefined: it is not known, or it came back on agents that have another configuration since. */
  readonly change: Change | undefined;
}

const daySeconds = 24 * 3_600;

/** Such as "Since 14:02 (7 min), after release 42 8d39c202". */
export function SinceLine({ cause: { firstSeenAt, regressedAt, firstConfigID }, change }: SinceLineProps) {
  const seconds = Math.max(0, Math.floor((useTime() - Date.parse(firstSeenAt)) / 1_000));
  if (regressedAt !== null)
    return (
      <>
        {causesTexts.cameBackAt} <Moment at={regressedAt} />
        {change !== undefined && (
          <>
            {' '}
            {causesTexts.with} <ChangeName change={change} />
          </>
        )}
        , {causesTexts.firstSeenAt} <Moment at={firstSeenAt} />
      </>
    );
  return (
    <>
      {causesTexts.sinceStart} <Moment at={firstSeenAt} />
      {seconds < daySeconds && ` (${formatDuration(seconds)})`}
      {change !== undefined ? (
        <>
          , {causesTexts.after} <ChangeName change={change} />
        </>
      ) : (
        firstConfigID !== null && (
          <>
            , {causesTexts.withConfig} <code title={firstConfigID}>{firstConfigID.slice(-8)}</code>
          </>
        )
      )}
    </>
  );
}
