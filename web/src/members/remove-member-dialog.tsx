import { Checkbox, Skeleton, Text } from '@mantine/core';
import { type Member, removeMember } from '@muster/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { explainError } from '../parts/explain-error.ts';
import { NameText } from '../parts/name-text.tsx';
import { showDone } from '../parts/toasts.tsx';
import { client } from '../service/client.ts';
import { projectKey } from '../service/query-client.ts';
import { meQuery, projectsQuery } from '../session/session-queries.ts';
import { useMay } from '../session/use-may.ts';
import { membersTexts } from '../texts/members.ts';
import { leftBehindQuery } from './member-queries.ts';

interface RemoveMemberDialogProps {
  readonly projectID: string;
  readonly member: Member;
  readonly isSelf: boolean;
  readonly onRemoved: () => void;
  readonly onClose: () => void;
}

/** Shows what ends with a member, and what stays. */
export function RemoveMemberDialog(props: RemoveMemberDialogProps) {
  const { projectID, member, isSelf, onRemoved, onClose } = props;
  const may = useMay(projectID);
  const { data: left, error } = useQuery(leftBehindQuery(projectID, member, may('read:token')));
  const [revokesTokens, setRevokesTokens] = useState(false);
  const queries = useQueryClient();
  const router = useRouter();
  const remove = async () => {
    const { userID, name } = member;
    const { keptTokensCount, revokedTokensCount } = await removeMember(client, {
      projectID,
      userID,
      ...(revokesTokens ? { revoke_tokens: true } : {}),
    });
    onRemoved();
    await queries.invalidateQueries({ queryKey: meQuery.queryKey });
    if (isSelf) {
      queries.removeQueries({ queryKey: projectsQuery.queryKey });
      await router.navigate({ to: '/', replace: true });
    } else await queries.invalidateQueries({ queryKey: projectKey(projectID) });
    showDone(membersTexts.removed(name, keptTokensCount, revokedTokensCount));
  };
  return (
    <ConfirmDialog
      isOpen
      title={isSelf ? membersTexts.leaveTitle : membersTexts.removeTitle}
      confirm={isSelf ? membersTexts.leave : membersTexts.remove}
      isDangerous
      isDisabled={left === undefined && error === null}
      onConfirm={remove}
      onClose={onClose}
    >
      <Text size="sm">
        <NameText text={member.name} /> {membersTexts.losesAccess}
      </Text>
      {left === undefined && error === null && <Skeleton height={40} mt="xs" />}
      {error !== null && <Text size="sm">{explainError(error).text}</Text>}
      {left !== undefined && left.invitationsCount > 0 && (
        <Text size="sm" mt="xs">
          {membersTexts.invitationsEnd(left.invitationsCount)}
        </Text>
      )}
      <Text size="sm" mt="xs">
        {left !== undefined && left.tokensCount > 0
          ? membersTexts.tokensStay(left.tokensCount, left.agentsCount)
          : membersTexts.rotatedTokensStay}
      </Text>
      {may('delete:token') && (
        <Checkbox
          mt="md"
          size="sm"
          label={membersTexts.revokeTokens}
          description={membersTexts.revokeTokensText}
          checked={revokesTokens}
          onChange={({ currentTarget }) => setRevokesTokens(currentTarget.checked)}
        />
      )}
    </ConfirmDialog>
  );
}
