import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { type AgentErrorGroup, updateAgentErrorGroups } from '@muster/client';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { membersQuery } from '../../members/member-queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { projectKey } from '../../service/query-client.ts';
import { meQuery } from '../../session/session-queries.ts';
import { useMay } from '../../session/use-may.ts';
import { causesTexts } from '../../texts/causes.ts';
import { type NoteInput, noteChange } from './note-change.ts';

interface AssignDialogProps {
  readonly projectID: string;
  /** What would be assigned. Undefined: the dialog is closed. */
  readonly causes: readonly AgentErrorGroup[] | undefined;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}

/** Asks who looks after causes, and what is known of them. */
export function AssignDialog({ projectID, causes, onClose, onDone }: AssignDialogProps) {
  const isOpen = causes !== undefined;
  const shown = causes ?? [];
  const queries = useQueryClient();
  const [typed, setTyped] = useState<NoteInput>({});
  const people = useAssignable(projectID, isOpen);
  const [only, ...others] = shown;
  // Of many, what each has stays unless somebody writes another one.
  const before = others.length === 0 ? only : undefined;
  const change = noteChange(typed, before);
  const set = (part: NoteInput) => setTyped((now) => ({ ...now, ...part }));
  const assigneeID = typed.assigneeID ?? before?.assignee?.id ?? '';
  const isListed = people.some(({ id }) => id === assigneeID);
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={causesTexts.assignTitle(shown.length)}
      confirm={causesTexts.assignConfirm}
      isDisabled={Object.keys(change).length === 0}
      onConfirm={async () => {
        const groupIDs = shown.map(({ id }) => id);
        await updateAgentErrorGroups(client, { projectID, body: { groupIDs, ...change } });
        onDone?.();
        showDone(causesTexts.assigned(groupIDs.length));
        await queries.invalidateQueries({ queryKey: projectKey(projectID) });
      }}
      onClose={() => {
        setTyped({});
        onClose();
      }}
    >
      <NativeSelect
        label={causesTexts.assignee}
        value={assigneeID}
        onChange={({ currentTarget }) => set({ assigneeID: currentTarget.value })}
        data-autofocus
        data={[
          { value: '', label: before === undefined ? causesTexts.asItIs : causesTexts.nobodyAssigned },
          ...(before === undefined ? [{ value: 'nobody', label: causesTexts.nobodyAssigned }] : []),
          ...(isListed || assigneeID === '' || assigneeID === 'nobody'
            ? []
            : [{ value: assigneeID, label: before?.assignee?.name ?? assigneeID }]),
          ...people.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <Textarea
        mt="sm"
        label={causesTexts.note}
        placeholder={causesTexts.noteExample}
        value={typed.note ?? before?.note ?? ''}
        onChange={({ currentTarget }) => set({ note: currentTarget.value })}
        maxLength={1000}
        autosize
        minRows={2}
      />
      <TextInput
        mt="sm"
        type="url"
        label={causesTexts.link}
        placeholder="https://…"
        value={typed.link ?? before?.link ?? ''}
        onChange={({ currentTarget }) => set({ link: currentTarget.value })}
        maxLength={1000}
      />
    </ConfirmDialog>
  );
}

/** The members of the project; without the right to list them, the user alone. */
function useAssignable(
  projectID: string,
  isOpen: boolean,
): readonly { readonly id: string; readonly name: string }[] {
  const mayList = useMay(projectID)('read:member');
  const { data: me } = useQuery({ ...meQuery, enabled: isOpen });
  const { data } = useInfiniteQuery({ ...membersQuery(projectID), enabled: isOpen && mayList });
  const members = (data?.pages ?? []).flatMap(({ items }) =>
    items.map(({ userID, name }) => ({ id: userID, name })),
  );
  const own = me?.kind === 'access' ? [{ id: me.id, name: me.name }] : [];
  return [...own, ...members.filter(({ id }) => own.every((one) => one.id !== id))];
}
