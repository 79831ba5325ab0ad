import { Checkbox, SegmentedControl, Skeleton, Text, TextInput } from '@mantine/core';
import { type Fleet, type FleetVersion, MusterError, startRollout } from '@muster/client';
import { defaultRolloutStages } from '@muster/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import classes from '../fleets/detail/fleet-page.module.css';
import { VersionDiff } from '../fleets/detail/version-diff.tsx';
import { fleetsKey } from '../fleets/fleets-query.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { explainError } from '../parts/explain-error.ts';
import { formatDuration } from '../parts/format-duration.ts';
import { client } from '../service/client.ts';
import { rolloutsTexts } from '../texts/rollouts.ts';
import stageClasses from './rollout-page.module.css';
import { rolloutPlanQuery } from './rollout-queries.ts';

interface DeployDialogProps {
  readonly fleet: Fleet;
  readonly version: FleetVersion;
  readonly onClose: () => void;
}

const stagesOf = {
  inStages: [...defaultRolloutStages],
  allAtOnce: [{ agents: '100%', soakSeconds: 600 }],
};
type How = keyof typeof stagesOf;

/** The dry run of a rollout: who would get the version when, and what changes for them. Its button says what happens first. */
export function DeployDialog({ fleet, version, onClose }: DeployDialogProps) {
  const { id: fleetID, projectID, name, currentVersion } = fleet;
  const [how, setHow] = useState<How>('inStages');
  const [reason, setReason] = useState(version.note ?? '');
  const [despiteBad, setDespiteBad] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const wanted = { versionID: version.id, stages: stagesOf[how], ...(despiteBad ? { despiteBad } : {}) };
  const plan = useQuery(rolloutPlanQuery(projectID, fleetID, wanted));
  const isBad = plan.error instanceof MusterError && plan.error.code === 'fleet_version_bad';
  const first = plan.data?.stages[0];
  return (
    <ConfirmDialog
      isOpen
      size="lg"
      title={rolloutsTexts.deployTitle(version.number, name)}
      confirm={rolloutsTexts.start(first?.agentsCount ?? 0)}
      isDisabled={reason.trim() === '' || first === undefined || plan.isFetching}
      onConfirm={async () => {
        const body = { ...wanted, reason: reason.trim() };
        const { id: rolloutID } = await startRollout(client, { fleetID, body });
        await queries.invalidateQueries({ queryKey: fleetsKey(projectID) });
        if (rolloutID !== null)
          await navigate({
            to: '/projects/$projectID/fleets/$fleetID/rollouts/$rolloutID',
            params: { projectID, fleetID, rolloutID },
          });
      }}
      onClose={onClose}
    >
      <SegmentedControl
        size="xs"
        aria-label={rolloutsTexts.how}
        value={how}
        onChange={(value) => setHow(value === 'allAtOnce' ? 'allAtOnce' : 'inStages')}
        data={[
          { value: 'inStages', label: rolloutsTexts.inStages },
          { value: 'allAtOnce', label: rolloutsTexts.allAtOnce },
        ]}
      />
      {plan.error !== null && (
        <Text c="var(--muster-bad)" size="sm" role="alert" mt="sm">
          {explainError(plan.error).text}
        </Text>
      )}
      {(isBad || despiteBad) && (
        <Checkbox
          mt="sm"
          label={rolloutsTexts.despiteBad}
          checked={despiteBad}
          onChange={({ currentTarget }) => setDespiteBad(currentTarget.checked)}
        />
      )}
      {plan.data === undefined ? (
        plan.error === null && <Skeleton height={120} mt="sm" />
      ) : (
        <ol className={stageClasses.stages} style={{ marginTop: 12 }}>
          {plan.data.stages.map(({ agentsCount, soakSeconds }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a stage is its place
            <li key={index}>
              <strong>{rolloutsTexts.stage(index + 1)}</strong>
              <p>
                {rolloutsTexts.agentsOf(agentsCount)},{' '}
                <span className="quiet">{rolloutsTexts.watchedFor(formatDuration(soakSeconds))}</span>
              </p>
            </li>
          ))}
        </ol>
      )}
      <Text size="xs" c="dimmed" mt="xs">
        {first !== undefined && first.names.length > 0 && (
          <>
            {rolloutsTexts.firstAgents} <code>{first.names.slice(0, 3).join(', ')}</code>.{' '}
          </>
        )}
        {rolloutsTexts.gate}
      </Text>
      <div className={classes.dialogDiff}>
        <VersionDiff
          projectID={projectID}
          versionID={version.id}
          against={currentVersion?.id}
          label={rolloutsTexts.whatChanges}
        />
      </div>
      <TextInput
        mt="md"
        label={rolloutsTexts.reason}
        value={reason}
        maxLength={1_000}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        required
        data-autofocus
      />
    </ConfirmDialog>
  );
}
