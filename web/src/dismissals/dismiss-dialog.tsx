import { Text, TextInput } from '@mantine/core';
import type { AgentErrorGroup, DismissalFilter } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type MuteChoice, type MuteKind, muteOf, suggestChoice } from '../causes/story/mute-choice.ts';
import { MuteChoices } from '../causes/story/mute-choices.tsx';
import { useAgentsNow, useMuting } from '../causes/story/use-muting.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { explainError } from '../parts/explain-error.ts';
import { causesTexts } from '../texts/causes.ts';
import { dismissalPreviewQuery } from './dismissal-queries.ts';
import { stillHappening } from './still-happening.ts';
import { useDismissing } from './use-dismissing.ts';

interface DismissDialogProps {
  readonly projectID: string;
  /** What would be dismissed. Undefined: the dialog is closed. */
  readonly filter: DismissalFilter | undefined;
  /** The causes of the filter, as far as it names them. */
  readonly causes?: readonly AgentErrorGroup[];
  readonly onClose: () => void;
  /** Called when errors were dismissed or muted, and when that was undone. */
  readonly onDone: () => void;
}

const maxReasonLength = 100;

/** Counts what would be dismissed, and asks why. What is reported all the time would be back at once: it offers to mute that, and dismisses the rest. */
export function DismissDialog({ projectID, filter, causes = [], onClose, onDone }: DismissDialogProps) {
  const [reason, setReason] = useState('');
  const [chosen, setChosen] = useState<MuteKind | 'dismiss'>('configuration');
  const [typed, setTyped] = useState<MuteChoice>();
  const { dismiss } = useDismissing(projectID);
  const { mute } = useMuting(projectID);
  // As it was when the dialog opened: what it asks must not change under somebody's hands.
  const [opened, setOpened] = useState<readonly AgentErrorGroup[]>();
  if ((filter === undefined) !== (opened === undefined))
    setOpened(filter && stillHappening(filter, causes, Date.now()));
  const recent = opened ?? [];
  const others = filter?.groupIDs?.filter((one) => recent.every(({ id }) => id !== one)) ?? [];
  const preview = useQuery({
    ...dismissalPreviewQuery(projectID, filter ?? {}),
    enabled: filter !== undefined,
  });
  const isHappening = recent.length > 0;
  const [one] = recent;
  const agentsNow = useAgentsNow(projectID, recent.length === 1 ? one : undefined);
  const kind = isHappening ? chosen : 'dismiss';
  const choice = typed ?? suggestChoice('hour', agentsNow);
  const asked =
    kind === 'dismiss'
      ? undefined
      : muteOf({ ...choice, kind }, { now: Date.now(), agentsNow, reason: reason.trim() });
  const close = () => {
    setReason('');
    setTyped(undefined);
    setChosen('configuration');
    onClose();
  };
  const counts = preview.data;
  // Lists and headings show only what is not.
  const conditions = Object.values(filter ?? {}).filter((condition) => condition !== undefined);
  const isWhole = conditions.length === 1 && filter?.groupIDs?.length === causes.length;
  const supersededCount = isWhole
    ? causes.reduce((sum, { errorsByState }) => sum + errorsByState.superseded, 0)
    : 0;
  const previewText =
    counts !== undefined
      ? causesTexts.preview(counts.errorsCount, counts.agentsCount, supersededCount)
      : preview.error !== null
        ? explainError(preview.error).text
        : causesTexts.counting;
  return (
    <ConfirmDialog
      isOpen={filter !== undefined}
      title={isHappening ? causesTexts.happeningTitle : causesTexts.dismissTitle}
      confirm={kind === 'dismiss' ? causesTexts.dismissConfirm(isHappening) : causesTexts.muteConfirms[kind]}
      isDisabled={reason.trim() === '' || (kind === 'dismiss' ? !counts?.errorsCount : asked === undefined)}
      onConfirm={async () => {
        if (filter === undefined) return;
        if (kind === 'dismiss') return dismiss(filter, reason.trim(), onDone);
        if (asked === undefined) return;
        await mute(
          recent.map(({ id }) => id),
          kind,
          asked,
        );
        if (others.length > 0) return dismiss({ ...filter, groupIDs: others }, reason.trim(), onDone);
        onDone();
      }}
      onClose={close}
    >
      {filter?.q !== undefined && <Text size="sm">{causesTexts.matching(filter.q)}</Text>}
      {isHappening ? (
        <>
          <Text size="sm" mb="md">
            <strong>
              {causesTexts.stillReported(
                recent.length,
                recent.length + others.length,
                agentsNow ?? one?.agentsCount ?? 0,
              )}
            </strong>{' '}
            {causesTexts.backAtOnce(recent.length)}{' '}
            {others.length > 0 && causesTexts.othersDismissed(others.length)}
          </Text>
          <MuteChoices
            chosen={kind}
            choice={choice}
            onChoose={setChosen}
            onChange={setTyped}
            isOne={recent.length === 1}
            dismissText={`${previewText} ${causesTexts.opensAgain}`}
          />
        </>
      ) : (
        <Text mb="md" role="status" mih="1.5rem">
          {previewText}
        </Text>
      )}
      <TextInput
        label={causesTexts.reason}
        description={causesTexts.reasonHint}
        placeholder={causesTexts.reasonExample}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        maxLength={maxReasonLength}
        required
        data-autofocus
      />
    </ConfirmDialog>
  );
}
