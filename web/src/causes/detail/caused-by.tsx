import type { AgentErrorGroup } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { NameText } from '../../parts/name-text.tsx';
import { rolloutsOfCauseQuery } from '../../rollouts/rollout-queries.ts';
import { useMay } from '../../session/use-may.ts';
import { rolloutsTexts } from '../../texts/rollouts.ts';
import classes from './cause-page.module.css';

interface CausedByProps {
  readonly projectID: string;
  readonly cause: Pick<AgentErrorGroup, 'id' | 'firstSeenAt'>;
}

/** The versions of fleets that brought a cause, as their rollouts have shown. Nothing if there is none. */
export function CausedBy({ projectID, cause }: CausedByProps) {
  const may = useMay(projectID)('read:fleet');
  const { data: rollouts } = useQuery({ ...rolloutsOfCauseQuery(projectID, cause.id), enabled: may });
  return rollouts?.map((rollout) => {
    const { id: rolloutID, fleetID, fleetName, fleetDeletedAt, startedAt, to } = rollout;
    return (
      <p key={rolloutID} className={classes.lede}>
        {cause.firstSeenAt < startedAt ? rolloutsTexts.alsoCausedBy : rolloutsTexts.causedBy}{' '}
        <NameText text={fleetName} />{' '}
        {fleetDeletedAt !== null ? (
          rolloutsTexts.versionOfDeleted(to.number)
        ) : (
          <>
            <Link
              to="/projects/$projectID/fleets/$fleetID"
              params={{ projectID, fleetID }}
              search={{ version: to.id }}
            >
              {rolloutsTexts.versionOf(to.number)}
            </Link>
            :{' '}
            <Link
              to="/projects/$projectID/fleets/$fleetID/rollouts/$rolloutID"
              params={{ projectID, fleetID, rolloutID }}
            >
              {rolloutsTexts.rolloutOf(to.number)}
            </Link>
          </>
        )}
        .
      </p>
    );
  });
}
