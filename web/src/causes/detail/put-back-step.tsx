import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { fleetQuery, fleetVersionQuery } from '../../fleets/fleet-queries.ts';
import { whenReachable } from '../../service/when-reachable.ts';
import { useMay } from '../../session/use-may.ts';
import { causesTexts } from '../../texts/causes.ts';
import { rolloutsTexts } from '../../texts/rollouts.ts';
import type { PutBack } from './put-back-of.ts';

const DeployDialog = lazy(
  whenReachable(async () => ({ default: (await import('../../rollouts/deploy-dialog.tsx')).DeployDialog })),
);
const RevertDialog = lazy(
  whenReachable(async () => ({ default: (await import('./revert-dialog.tsx')).RevertDialog })),
);

interface PutBackStepProps {
  readonly projectID: string;
  readonly putBack: PutBack;
  /** What stood in the place of the port that does not answer. */
  readonly port: string | undefined;
  /** What people call the configuration that brought the cause. */
  readonly change: string | undefined;
}

/** Gives the version before to the agents again: at once if its rollout can be reverted, otherwise in stages. */
export function PutBackStep({ projectID, putBack, port, change }: PutBackStepProps) {
  const [isAsked, setIsAsked] = useState(false);
  const mayChange = useMay(projectID)('update:fleet');
  const close = () => setIsAsked(false);
  return (
    <>
      {causesTexts.putVersionBack(putBack.number, port, change)}
      {mayChange && (
        <div>
          <Button size="compact-md" onClick={() => setIsAsked(true)}>
            {rolloutsTexts.putBack(putBack.number)}
          </Button>
        </div>
      )}
      <p className="quiet">
        {putBack.kind === 'deploy'
          ? causesTexts.backInStages
          : causesTexts.backToAgents(putBack.rollout.agentsCount.offered)}{' '}
        {causesTexts.closesItself}
      </p>
      {isAsked && (
        <Suspense>
          {putBack.kind === 'deploy' ? (
            <Deploy projectID={projectID} putBack={putBack} onClose={close} />
          ) : (
            <RevertDialog projectID={projectID} rollout={putBack.rollout} onClose={close} />
          )}
        </Suspense>
      )}
    </>
  );
}

interface DeployProps {
  readonly projectID: string;
  readonly putBack: Extract<PutBack, { kind: 'deploy' }>;
  readonly onClose: () => void;
}

function Deploy({ projectID, putBack: { fleetID, versionID }, onClose }: DeployProps) {
  const { data: fleet } = useQuery(fleetQuery(projectID, fleetID));
  const { data: version } = useQuery(fleetVersionQuery(projectID, versionID));
  if (fleet === undefined || version === undefined) return null;
  return <DeployDialog fleet={fleet} version={version} onClose={onClose} />;
}
