import type { Member } from '@muster/client';
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { EmptyState } from '../parts/empty-state.tsx';
import { meQuery } from '../session/session-queries.ts';
import { useHeldGrants, useHeldOnInstallation } from '../session/use-may.ts';
import { DataTable } from '../table/data-table.tsx';
import { useListRows } from '../table/use-list-rows.ts';
import { membersTexts } from '../texts/members.ts';
import { ChangeRoleDialog } from './change-role-dialog.tsx';
import { memberColumns } from './member-columns.tsx';
import { membersQuery } from './member-queries.ts';
import { memberRights } from './member-rights.ts';
import { RemoveMemberDialog } from './remove-member-dialog.tsx';

interface Asked {
  readonly action: 'change' | 'remove';
  readonly member: Member;
}

export function MembersSection({ projectID }: { readonly projectID: string }) {
  const query = useInfiniteQuery(membersQuery(projectID));
  const { table, takeInNext } = useListRows(query, projectID, idOf);
  const { data: me } = useSuspenseQuery(meQuery);
  const held = useHeldGrants(projectID);
  const onInstallation = useHeldOnInstallation();
  const [asked, setAsked] = useState<Asked>();
  const { data, hasNextPage } = query;
  const ownersCount = useMemo(() => {
    const members = data?.pages.flatMap(({ items }) => items) ?? [];
    return hasNextPage ? undefined : members.filter(({ role }) => role === 'owner').length;
  }, [data, hasNextPage]);
  const columns = memberColumns(me.id, (member) => {
    const { mayChange, mayRemove } = memberRights({ held, onInstallation }, member, ownersCount);
    const remove = member.userID === me.id ? membersTexts.leave : membersTexts.remove;
    return [
      ...(mayChange
        ? [{ text: `${membersTexts.changeRole}…`, run: () => setAsked({ action: 'change', member }) }]
        : []),
      ...(mayRemove
        ? [{ text: `${remove}…`, isDangerous: true, run: () => setAsked({ action: 'remove', member }) }]
        : []),
    ];
  });
  const close = () => setAsked(undefined);
  return (
    <>
      <DataTable
        {...table}
        label={membersTexts.title}
        columns={columns}
        nameOf={({ name }) => name}
        rowHeight={48}
        empty={
          <EmptyState
            title={membersTexts.none}
            text={membersTexts.noneText}
            command={membersTexts.inviteCommand}
          />
        }
      />
      {asked?.action === 'change' && (
        <ChangeRoleDialog
          projectID={projectID}
          member={asked.member}
          held={held}
          onChanged={takeInNext}
          onClose={close}
        />
      )}
      {asked?.action === 'remove' && (
        <RemoveMemberDialog
          projectID={projectID}
          member={asked.member}
          isSelf={asked.member.userID === me.id}
          onRemoved={takeInNext}
          onClose={close}
        />
      )}
    </>
  );
}

function idOf({ userID }: Member): string {
  return userID;
}
