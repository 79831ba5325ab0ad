import type { Rollout } from '@muster/client';
import { suspicionOf, titleOfCause } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { causeQuery } from '../causes/cause-queries.ts';
import { HostileText } from '../parts/hostile-text.tsx';
import { useMay } from '../session/use-may.ts';
import { rolloutsTexts } from '../texts/rollouts.ts';
import { isOpen } from './rollout-progress.ts';
import { rolloutQuery } from './rollout-queries.ts';

interface CameWithProps {
  readonly projectID: string;
  readonly rollout: Rollout;
}

/** What a version brought, in a few words: the cause by its name, if the user may read it. */
export function CameWith({ projectID, rollout }: CameWithProps) {
  const { verdict } = rollout;
  // Lists have no evidence of a rollout that goes on.
  const isOngoing = isOpen(rollout) && verdict === null;
  const { data: read } = useQuery({ ...rolloutQuery(projectID, rollout.id), enabled: isOngoing });
  const suspicion = isOngoing && read !== undefined ? suspicionOf(read) : undefined;
  const causeID = verdict?.rule === 'new_cause' ? verdict.groupID : suspicion?.causeID;
  const mayRead = useMay(projectID)('read:agent_error') && causeID !== undefined;
  const { data: cause } = useQuery({ ...causeQuery(projectID, causeID ?? ''), enabled: mayRead });
  if (suspicion !== undefined && cause === undefined)
    return suspicion.causeID === undefined
      ? rolloutsTexts.cameWords.unhealthy(suspicion.updated)
      : rolloutsTexts.cameWords.newCause(suspicion.updated);
  if (cause === undefined)
    return <span className={verdict === null ? 'quiet' : undefined}>{cameWith(rollout)}</span>;
  return (
    <>
      <Link to="/projects/$projectID/causes/$causeID" params={{ projectID, causeID: cause.id }}>
        {titleOfCause(cause) ?? <HostileText text={cause.pattern} isLine />}
      </Link>{' '}
      {rolloutsTexts.cameWords.on(suspicion?.updated ?? verdict?.agents ?? 0)}
    </>
  );
}

function cameWith({ state, verdict }: Pick<Rollout, 'state' | 'verdict'>): string {
  const { cameWords } = rolloutsTexts;
  const count = verdict?.agents ?? 0;
  switch (verdict?.rule) {
    case 'new_cause':
      return cameWords.newCause(count);
    case 'unhealthy':
      return cameWords.unhealthy(count);
    case 'hard_failures':
      return cameWords.failed(count);
  }
  return isOpen({ state }) ? cameWords.soFar : cameWords.nothing;
}
