import { Button, Text } from '@mantine/core';
import { type Invitation, revokeInvitation } from '@muster/client';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { useMay } from '../../session/use-may.ts';
import type { Column } from '../../table/column.ts';
import { DataTable } from '../../table/data-table.tsx';
import { useListRows } from '../../table/use-list-rows.ts';
import { membersTexts } from '../../texts/members.ts';
import { partsTexts } from '../../texts/parts.ts';
import { describeRole } from '../describe-role.ts';
import { invitationsQuery } from '../member-queries.ts';

/** The invitations that nobody has accepted yet. */
export function InvitationsSection({ projectID }: { readonly projectID: string }) {
  const mayRevoke = useMay(projectID)('delete:member');
  const query = useInfiniteQuery(invitationsQuery(projectID));
  const queries = useQueryClient();
  const { table, takeInNext } = useListRows(query, projectID, idOf);
  const [revoking, setRevoking] = useState<Invitation>();
  const columns = useMemo(() => invitationColumns(mayRevoke ? setRevoking : undefined), [mayRevoke]);
  return (
    <>
      <DataTable
        {...table}
        label={membersTexts.invitations}
        columns={columns}
        nameOf={nameOf}
        rowHeight={48}
        empty={
          <EmptyState
            title={membersTexts.noInvitations}
            text={membersTexts.noInvitationsText}
            command={membersTexts.inviteCommand}
          />
        }
      />
      <ConfirmDialog
        isOpen={revoking !== undefined}
        title={membersTexts.revokeInvitation}
        confirm={membersTexts.revoke}
        isDangerous
        onConfirm={async () => {
          if (revoking === undefined) return;
          await revokeInvitation(client, { invitationID: revoking.id });
          takeInNext();
          await queries.invalidateQueries({ queryKey: invitationsQuery(projectID).queryKey });
          showDone(membersTexts.invitationRevoked);
        }}
        onClose={() => setRevoking(undefined)}
      >
        <Text size="sm">{membersTexts.revokeInvitationText}</Text>
      </ConfirmDialog>
    </>
  );
}

function invitationColumns(
  onRevoke: ((invitation: Invitation) => void) | undefined,
): readonly Column<Invitation>[] {
  return [
    {
      id: 'email',
      header: membersTexts.for,
      width: 'minmax(0, 2fr)',
      cell: ({ email }) =>
        email === null ? (
          <span className="quiet">{membersTexts.anybody}</span>
        ) : (
          <span title={email}>
            <NameText text={email} />
          </span>
        ),
    },
    {
      id: 'role',
      header: membersTexts.role,
      width: 'minmax(0, 1fr)',
      cell: (invitation) => <span title={invitation.permissions.join(', ')}>{describeRole(invitation)}</span>,
    },
    {
      id: 'by',
      header: membersTexts.invitedBy,
      width: 'minmax(0, 1fr)',
      hideBelow: 'md',
      cell: ({ createdBy: { name, kind } }) =>
        name == null ? membersTexts.kinds[kind] : <bdi title={name}>{name}</bdi>,
    },
    {
      id: 'ends',
      header: membersTexts.ends,
      width: '7rem',
      hideBelow: 'sm',
      cell: ({ expiresAt }) => <RelativeTime at={expiresAt} />,
    },
    {
      id: 'revoke',
      header: partsTexts.actions,
      isHeaderHidden: true,
      width: '5rem',
      align: 'end',
      cell: (invitation) =>
        onRevoke !== undefined && (
          <Button size="compact-xs" variant="default" onClick={() => onRevoke(invitation)}>
            {`${membersTexts.revoke}…`}
          </Button>
        ),
    },
  ];
}

function idOf({ id }: Invitation): string {
  return id;
}

function nameOf({ email }: Invitation): string {
  return email ?? membersTexts.anybody;
}
