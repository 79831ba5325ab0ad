import type { AgentErrorGroup } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { summaryQuery } from '../../overview/overview-queries.ts';
import { formatShare } from '../../parts/amount.ts';
import { Moment } from '../../parts/moment.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { useMay } from '../../session/use-may.ts';
import { causesTexts } from '../../texts/causes.ts';
import { CauseMarks } from '../cause-marks.tsx';
import classes from './cause-page.module.css';

interface CauseSentenceProps {
  readonly projectID: string;
  readonly cause: AgentErrorGroup;
}

/** Such as "412 of 3,000 agents (14%), since 14:02, after configuration 3f1e8a6b". */
export function CauseSentence({ projectID, cause }: CauseSentenceProps) {
  const { agentsCount, agentsShare, firstSeenAt, firstConfigID, mutedUntil, muteReason } = cause;
  const mayCount = useMay(projectID)('read:project');
  const { data: summary } = useQuery({ ...summaryQuery(projectID), enabled: mayCount });
  return (
    <>
      {!mayCount && <>{causesTexts.onAgents(agentsCount)}, </>}
      {summary !== undefined && (
        <>
          <strong>{causesTexts.spread(agentsCount, summary.agentsCount)}</strong> ({formatShare(agentsShare)}
          ),{' '}
        </>
      )}
      {causesTexts.since} <Moment at={firstSeenAt} />
      {firstConfigID !== null && (
        <>
          , {causesTexts.afterConfiguration} <code title={firstConfigID}>{firstConfigID.slice(-8)}</code>
        </>
      )}
      <div className={classes.marks}>
        <CauseMarks cause={cause} />
        {mutedUntil !== null && (
          <span>
            {causesTexts.mutedUntil} <RelativeTime at={mutedUntil} />: <bdi>{muteReason}</bdi>
          </span>
        )}
      </div>
    </>
  );
}
