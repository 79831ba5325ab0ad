import { Checkbox, Group, SegmentedControl, Stack, TextInput } from '@mantine/core';
import type { FreezeWindow } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { freezeQuery } from '../../rollouts/upcoming-queries.ts';
import { freezeTexts } from '../../texts/freeze.ts';
import { changeWindows } from './change-windows.ts';
import { type FreezeWindowInput, newWindow, weekdays, windowOf } from './freeze-window-input.ts';

interface AddWindowDialogProps {
  readonly projectID: string;
  readonly taken: readonly FreezeWindow[];
  readonly onClose: () => void;
}

/** Hours of some weekdays, or a single time. */
export function AddWindowDialog({ projectID, taken, onClose }: AddWindowDialogProps) {
  const queries = useQueryClient();
  const [input, setInput] = useState(() => newWindow(new Intl.DateTimeFormat().resolvedOptions().timeZone));
  const set = (change: Partial<FreezeWindowInput>) => setInput({ ...input, ...change });
  const window = windowOf(input);
  const isTaken = taken.some(({ name }) => name === input.name.trim());
  return (
    <ConfirmDialog
      isOpen
      title={freezeTexts.addTitle}
      confirm={freezeTexts.addConfirm}
      isDisabled={window === undefined || isTaken}
      onConfirm={async () => {
        if (window === undefined) return;
        await changeWindows(projectID, (present) => [...present, window]);
        await queries.invalidateQueries({ queryKey: freezeQuery(projectID).queryKey });
        showDone(freezeTexts.added(window.name));
      }}
      onClose={onClose}
    >
      <Stack gap="md">
        <TextInput
          label={freezeTexts.name}
          value={input.name}
          maxLength={128}
          error={isTaken ? freezeTexts.nameTaken : undefined}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
          autoComplete="off"
          required
          data-autofocus
        />
        <SegmentedControl
          size="xs"
          aria-label={freezeTexts.when}
          value={input.kind}
          onChange={(value) => set({ kind: value === 'once' ? 'once' : 'weekly' })}
          data={[
            { value: 'weekly', label: freezeTexts.weekly },
            { value: 'once', label: freezeTexts.once },
          ]}
        />
        {input.kind === 'weekly' ? (
          <Weekly input={input} onChange={set} />
        ) : (
          <Group grow gap="sm">
            <TextInput
              type="datetime-local"
              label={freezeTexts.startsAt}
              value={input.startsAt}
              onChange={({ currentTarget }) => set({ startsAt: currentTarget.value })}
            />
            <TextInput
              type="datetime-local"
              label={freezeTexts.endsAt}
              value={input.endsAt}
              onChange={({ currentTarget }) => set({ endsAt: currentTarget.value })}
            />
          </Group>
        )}
      </Stack>
    </ConfirmDialog>
  );
}

interface WeeklyProps {
  readonly input: FreezeWindowInput;
  readonly onChange: (change: Partial<FreezeWindowInput>) => void;
}

function Weekly({ input, onChange }: WeeklyProps) {
  return (
    <>
      <Checkbox.Group
        label={freezeTexts.days}
        value={[...input.weekdays]}
        onChange={(chosen) => onChange({ weekdays: weekdays.filter((day) => chosen.includes(day)) })}
      >
        <Group gap="sm" mt={4}>
          {weekdays.map((day) => (
            <Checkbox key={day} value={day} label={freezeTexts.weekdays[day]} />
          ))}
        </Group>
      </Checkbox.Group>
      <Group grow gap="sm" align="flex-start">
        <TextInput
          type="time"
          label={freezeTexts.from}
          value={input.from}
          onChange={({ currentTarget }) => onChange({ from: currentTarget.value })}
        />
        <TextInput
          type="time"
          label={freezeTexts.to}
          description={input.to > input.from ? undefined : freezeTexts.nextDay}
          inputWrapperOrder={['label', 'input', 'description']}
          value={input.to}
          onChange={({ currentTarget }) => onChange({ to: currentTarget.value })}
        />
      </Group>
      <TextInput
        label={freezeTexts.zone}
        description={freezeTexts.zoneText}
        value={input.zone}
        maxLength={64}
        onChange={({ currentTarget }) => onChange({ zone: currentTarget.value })}
        autoComplete="off"
        spellCheck={false}
      />
    </>
  );
}
