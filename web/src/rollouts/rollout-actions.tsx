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
import { DespiteFreeze } from './despite-freeze.tsx';
import { beginsStage, hasFailed, isOpen, toneOfState } from './rollout-progress.ts';
import { freezeQuery } from './upcoming-queries.ts';

const calls = {
  approve: approveRollout,
  pause: pauseRollout,
  resume: resumeRollout,
  promote: promoteRollout,
  /** Of a stage that waits for the end of a freeze. */
  begin: promoteRollout,
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
  if (may && toneOfState[rollout.state] === 'bad') return <AfterStop rollout={rollout} />;
  if (!canAct) return null;
  const isPaused = rollout.state === 'paused';
  return (
    <>
      <Button variant="default" onClick={() => setAsked(isPaused ? 'resume' : 'pause')}>
        {isPaused ? rolloutsTexts.resume : rolloutsTexts.pause}
      </Button>
      <NextStageButton rollout={rollout} onAsk={setAsked} />
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

interface NextStageButtonProps {
  readonly rollout: Rollout;
  readonly onAsk: (act: Act) => void;
}

/** Of a stage that somebody has to approve, that is frozen, or that its wait keeps back. */
function NextStageButton({ rollout: { state, verdict, isHeld }, onAsk }: NextStageButtonProps) {
  if (state === 'waiting' && verdict?.rule === 'approval')
    return (
      <Button disabled={isHeld} onClick={() => onAsk('approve')}>
        {rolloutsTexts.approve}
      </Button>
    );
  const act = state === 'waiting' ? 'begin' : 'promote';
  return (
    <Button variant="default" onClick={() => onAsk(act)}>
      {rolloutsTexts[act]}
    </Button>
  );
}

/** What comes next when a version was stopped: a corrected one, or the same one again with a reason. */
function AfterStop({ rollout }: { readonly rollout: Rollout }) {
  const { projectID, fleetID, to } = rollout;
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
      {isDeploying && (
        // What is kept of the version may have been read before it was marked.
        <DeployDialog
          fleet={fleet}
          version={{ ...version, isBad: version.isBad || hasFailed(rollout) }}
          onClose={() => setIsDeploying(false)}
        />
      )}
    </>
  );
}

/** Whether it is meant for the stage in which the rollout is, and for no other. */
function isOfStage(act: Act): boolean {
  return act === 'approve' || act === 'promote' || act === 'begin' || act === 'resume';
}

interface ActDialogProps {
  readonly rollout: Rollout;
  readonly act: Act;
  readonly onClose: () => void;
}

function ActDialog({ rollout, act, onClose }: ActDialogProps) {
  const { id: rolloutID, projectID, stages } = rollout;
  // The rollout can go on by itself while the person reads.
  const [stage] = useState(rollout.stage);
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const [despiteFreeze, setDespiteFreeze] = useState(false);
  const isFreezable = beginsStage({ stage, stages }, act);
  const { data } = useQuery({ ...freezeQuery(projectID), enabled: isFreezable });
  const freeze = isFreezable ? data?.freeze : undefined;
  const { title, text, confirm } = rolloutsTexts.acts[act];
  return (
    <ConfirmDialog
      isOpen
      title={title}
      confirm={confirm}
      isDangerous={act === 'revert'}
      isDisabled={reason.trim() === '' || (freeze != null && !despiteFreeze)}
      onConfirm={async () => {
        const body = {
          reason: reason.trim(),
          ...(despiteFreeze && { despiteFreeze }),
          ...(isOfStage(act) && { stage }),
        };
        await calls[act](client, { rolloutID, body });
        await queries.invalidateQueries({ queryKey: fleetsKey(projectID) });
      }}
      onClose={onClose}
    >
      <Text size="sm" mb="md">
        {text(stage + 1, stages[stage]?.agentsCount)}
      </Text>
      <TextInput
        label={rolloutsTexts.reason}
        description={rolloutsTexts.reasonText}
        value={reason}
        maxLength={1_000}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        data-autofocus
      />
      {freeze != null && (
        <DespiteFreeze freeze={freeze} isChecked={despiteFreeze} onChange={setDespiteFreeze} />
      )}
    </ConfirmDialog>
  );
}
