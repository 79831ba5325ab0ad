import { Button, Text, TextInput } from '@mantine/core';
import {
  approveRollout,
  pauseRollout,
  promoteRollout,
  type Rollout,
  resumeRollout,
  revertRollout,
  stopRollout,
} from '@muster/client';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { fleetQuery, fleetVersionQuery, fleetVersionsQuery } from '../fleets/fleet-queries.ts';
import { fleetsKey } from '../fleets/fleets-query.ts';
import { useKeys } from '../keys/use-keys.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { client } from '../service/client.ts';
import { useMay } from '../session/use-may.ts';
import { rolloutsTexts } from '../texts/rollouts.ts';
import { DeployDialog } from './deploy-dialog.tsx';
import { hasFailed, isOpen } from './rollout-progress.ts';

const calls = {
  approve: approveRollout,
  pause: pauseRollout,
  resume: resumeRollout,
  promote: promoteRollout,
  stop: stopRollout,
  revert: revertRollout,
} as const;
type Act = keyof typeof calls;

/** What can be done with a rollout that goes on. Each needs a reason. `S` stops it and goes back. */
export function RolloutActions({ rollout }: { readonly rollout: Rollout }) {
  const [asked, setAsked] = useState<Act>();
  const may = useMay(rollout.projectID)('update:fleet');
  const canAct = may && isOpen(rollout);
  useKeys(canAct ? [{ key: 's', text: rolloutsTexts.acts.revert.title, run: () => setAsked('revert') }] : []);
  if (may && hasFailed(rollout)) return <AfterFailure rollout={rollout} />;
  if (!canAct) return null;
  const isPaused = rollout.state === 'paused';
  return (
    <>
      <Button variant="default" onClick={() => setAsked(isPaused ? 'resume' : 'pause')}>
        {isPaused ? rolloutsTexts.resume : rolloutsTexts.pause}
      </Button>
      {rollout.verdict?.rule === 'approval' ? (
        <Button onClick={() => setAsked('approve')}>{rolloutsTexts.approve}</Button>
      ) : (
        <Button variant="default" onClick={() => setAsked('promote')}>
          {rolloutsTexts.promote}
        </Button>
      )}
      <Button variant="default" onClick={() => setAsked('stop')}>
        {rolloutsTexts.stop}
      </Button>
      <Button variant="default" c="var(--muster-bad)" onClick={() => setAsked('revert')}>
        {rolloutsTexts.revert}
      </Button>
      {asked !== undefined && <ActDialog rollout={rollout} act={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

/** What comes next when a version was bad: a corrected one, or the same one again with a reason. */
function AfterFailure({ rollout: { projectID, fleetID, to } }: { readonly rollout: Rollout }) {
  const [isDeploying, setIsDeploying] = useState(false);
  const { data: fleet } = useQuery(fleetQuery(projectID, fleetID));
  const { data: version } = useQuery(fleetVersionQuery(projectID, to.id));
  const { data: versions } = useInfiniteQuery(fleetVersionsQuery(projectID, fleetID));
  const newest = versions?.pages[0]?.items[0];
  if (fleet === undefined || version === undefined || newest === undefined) return null;
  return (
    <>
      {fleet.currentVersion?.id !== to.id && (
        <Button variant="default" onClick={() => setIsDeploying(true)}>
          {rolloutsTexts.deployAgain}
        </Button>
      )}
      <Button
        renderRoot={(props) => (
          <Link
            to="/projects/$projectID/fleets/$fleetID/edit"
            params={{ projectID, fleetID }}
            search={{ from: to.id }}
            {...props}
          />
        )}
      >
        {rolloutsTexts.editAs(newest.number + 1)}
      </Button>
      {isDeploying && <DeployDialog fleet={fleet} version={version} onClose={() => setIsDeploying(false)} />}
    </>
  );
}

interface ActDialogProps {
  readonly rollout: Rollout;
  readonly act: Act;
  readonly onClose: () => void;
}

function ActDialog({ rollout: { id: rolloutID, projectID }, act, onClose }: ActDialogProps) {
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const { title, text, confirm } = rolloutsTexts.acts[act];
  return (
    <ConfirmDialog
      isOpen
      title={title}
      confirm={confirm}
      isDangerous={act === 'revert'}
      isDisabled={reason.trim() === ''}
      onConfirm={async () => {
        await calls[act](client, { rolloutID, body: { reason: reason.trim() } });
        await queries.invalidateQueries({ queryKey: fleetsKey(projectID) });
      }}
      onClose={onClose}
    >
      <Text size="sm" mb="md">
        {text}
      </Text>
      <TextInput
        label={rolloutsTexts.reason}
        description={rolloutsTexts.reasonText}
        value={reason}
        maxLength={1_000}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        data-autofocus
      />
    </ConfirmDialog>
  );
}
