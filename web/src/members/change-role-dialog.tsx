import { Stack, Text } from '@mantine/core';
import { type Member, updateMember } from '@muster/client';
import type { Grant } from '@muster/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { NameText } from '../parts/name-text.tsx';
import { showDone } from '../parts/toasts.tsx';
import { client } from '../service/client.ts';
import { projectKey } from '../service/query-client.ts';
import { meQuery } from '../session/session-queries.ts';
import { membersTexts } from '../texts/members.ts';
import { chosenRoleOf, RoleFields, roleBody } from './role-fields.tsx';

interface ChangeRoleDialogProps {
  readonly projectID: string;
  readonly member: Member;
  readonly held: readonly Grant[];
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function ChangeRoleDialog({ projectID, member, held, onChanged, onClose }: ChangeRoleDialogProps) {
  const [chosen, setChosen] = useState(() => chosenRoleOf(member));
  const queries = useQueryClient();
  const body = roleBody(chosen);
  return (
    <ConfirmDialog
      isOpen
      title={membersTexts.changeRole}
      confirm={membersTexts.changeRole}
      isDisabled={body === undefined}
      onConfirm={async () => {
        await updateMember(client, { projectID, userID: member.userID, body: body ?? {} });
        onChanged();
        await Promise.all([
          queries.invalidateQueries({ queryKey: projectKey(projectID) }),
          // It may be the user's own.
          queries.invalidateQueries({ queryKey: meQuery.queryKey }),
        ]);
        showDone(membersTexts.roleChanged);
      }}
      onClose={onClose}
    >
      <Stack gap="md">
        <Text size="sm">
          <NameText text={member.name} />: {membersTexts.changeText}
        </Text>
        <RoleFields value={chosen} held={held} onChange={setChosen} />
      </Stack>
    </ConfirmDialog>
  );
}
