import { Checkbox, NumberInput, SegmentedControl, Skeleton, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type Fleet, type FleetVersion, type StartedRollout, startRollout } from '@muster/client';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import fleetClasses from '../fleets/detail/fleet-page.module.css';
import { VersionDiff } from '../fleets/detail/version-diff.tsx';
import { fleetsKey } from '../fleets/fleets-query.ts';
import { formatShare } from '../parts/amount.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { explainError } from '../parts/explain-error.ts';
import { formatDuration } from '../parts/format-duration.ts';
import { client } from '../service/client.ts';
import { useMay } from '../session/use-may.ts';
import { rolloutsTexts } from '../texts/rollouts.ts';
import classes from './deploy-dialog.module.css';
import { DespiteFreeze } from './despite-freeze.tsx';
import { newRollout, type RolloutInput, rolloutBody } from './rollout-input.ts';
import { canaryQuery, rolloutPlanQuery } from './rollout-queries.ts';
import { freezeQuery } from './upcoming-queries.ts';

interface DeployDialogProps {
  readonly fleet: Fleet;
  readonly version: FleetVersion;
  readonly onClose: () => void;
}

const typingMilliseconds = 300;

/** The dry run of a rollout: who would get the version when, and what changes for them. Its button says what happens first. */
export function DeployDialog({ fleet, version, onClose }: DeployDialogProps) {
  const { id: fleetID, projectID, name, currentVersion } = fleet;
  const [input, setInput] = useState(newRollout);
  const isBack = currentVersion !== null && version.number < currentVersion.number;
  const [reason, setReason] = useState(isBack ? '' : (version.note ?? ''));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const set = (change: Partial<RolloutInput>) => setInput((before) => ({ ...before, ...change }));
  const [settled] = useDebouncedValue(input, typingMilliseconds);
  const plan = useQuery({
    ...rolloutPlanQuery(projectID, fleetID, rolloutBody(version.id, settled)),
    placeholderData: keepPreviousData,
  });
  const canary = useQuery({
    ...canaryQuery(projectID, fleetID, settled.canaryTag.trim()),
    enabled: useMay(projectID)('read:agent') && settled.canaryTag.trim() !== '',
  });
  const { freeze } = useQuery(freezeQuery(projectID)).data ?? {};
  const isFrozen = freeze != null && !input.despiteFreeze;
  const hasNoCanary = input.how === 'inStages' && settled.canaryTag.trim() !== '' && canary.data === false;
  const first = plan.data?.stages[0];
  return (
    <ConfirmDialog
      isOpen
      size="lg"
      title={rolloutsTexts[isBack ? 'putBackTitle' : 'deployTitle'](version.number, name)}
      confirm={rolloutsTexts.start(first?.agentsCount ?? 0)}
      isDisabled={
        reason.trim() === '' ||
        first === undefined ||
        settled !== input ||
        plan.isFetching ||
        hasNoCanary ||
        isFrozen ||
        (version.isBad && !input.despiteBad)
      }
      onConfirm={async () => {
        const body = { ...rolloutBody(version.id, input), reason: reason.trim() };
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
      <Text size="sm" fw={600} mb="sm">
        {plan.data === undefined ? '\u00a0' : rolloutsTexts.allGetIt(plan.data.stages, name)}
      </Text>
      <div className={classes.how}>
        <strong>{rolloutsTexts.how}</strong>
        <SegmentedControl
          size="xs"
          aria-label={rolloutsTexts.how}
          value={input.how}
          onChange={(value) => set({ how: value === 'allAtOnce' ? 'allAtOnce' : 'inStages' })}
          data={[
            { value: 'inStages', label: rolloutsTexts.inStages },
            { value: 'allAtOnce', label: rolloutsTexts.allAtOnce },
          ]}
        />
      </div>
      {plan.error !== null && (
        <Text c="var(--muster-bad)" size="sm" role="alert" mt="sm">
          {explainError(plan.error).text}
        </Text>
      )}
      {plan.data === undefined ? plan.error === null && <Skeleton height={160} /> : <Plan plan={plan.data} />}
      <Text size="xs" c="dimmed" mt="xs">
        {first !== undefined && first.names.length > 0 && (
          <>
            {rolloutsTexts.firstAgents} <code>{first.names.slice(0, 3).join(', ')}</code>.{' '}
          </>
        )}
        {rolloutsTexts.gate}
      </Text>
      <div className={classes.choices}>
        {input.how === 'inStages' && (
          <TextInput
            label={rolloutsTexts.canary}
            placeholder={rolloutsTexts.canaryPlaceholder}
            value={input.canaryTag}
            maxLength={128}
            error={hasNoCanary ? rolloutsTexts.noCanary(settled.canaryTag.trim()) : undefined}
            onChange={({ currentTarget }) => set({ canaryTag: currentTarget.value })}
            autoComplete="off"
          />
        )}
        <NumberInput
          label={rolloutsTexts.pace}
          placeholder={rolloutsTexts.pacePlaceholder}
          value={input.maxPerMinute ?? ''}
          min={1}
          max={1_000_000}
          allowDecimal={false}
          onChange={(value) => set({ maxPerMinute: typeof value === 'number' ? value : undefined })}
        />
      </div>
      {input.how === 'inStages' && (
        <Checkbox
          mt="sm"
          label={rolloutsTexts.approval}
          checked={input.isApproved}
          onChange={({ currentTarget }) => set({ isApproved: currentTarget.checked })}
        />
      )}
      {version.isBad && (
        <Checkbox
          mt="sm"
          label={rolloutsTexts.despiteBad}
          checked={input.despiteBad}
          onChange={({ currentTarget }) => set({ despiteBad: currentTarget.checked })}
        />
      )}
      {freeze != null && (
        <DespiteFreeze
          freeze={freeze}
          isChecked={input.despiteFreeze}
          onChange={(despiteFreeze) => set({ despiteFreeze })}
        />
      )}
      <div className={fleetClasses.dialogDiff}>
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

/** Who gets the version when: each stage with all before it. */
function Plan({ plan: { stages } }: { readonly plan: StartedRollout }) {
  const all = stages.reduce((sum, { agentsCount }) => sum + agentsCount, 0);
  return (
    <ol className={classes.plan}>
      {stages.map(({ agentsCount, soakSeconds }, index) => {
        const reached = stages.slice(0, index + 1).reduce((sum, stage) => sum + stage.agentsCount, 0);
        const share = reached / Math.max(1, all);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a stage is its place
          <li key={index}>
            <span>{rolloutsTexts.stage(index + 1)}</span>
            <strong>{formatShare(share)}</strong>
            <div className={classes.bar} aria-hidden="true">
              <div style={{ width: `${share * 100}%` }} />
            </div>
            <span>{rolloutsTexts.agentsOf(agentsCount)}</span>
            <span className="quiet">{rolloutsTexts.watchedFor(formatDuration(soakSeconds))}</span>
          </li>
        );
      })}
    </ol>
  );
}
