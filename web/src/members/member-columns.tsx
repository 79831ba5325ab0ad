import type { Member } from '@muster/client';
import { NameText } from '../parts/name-text.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { type RowAction, RowMenu } from '../parts/row-menu.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import classes from '../settings/settings.module.css';
import type { Column } from '../table/column.ts';
import { membersTexts } from '../texts/members.ts';
import { partsTexts } from '../texts/parts.ts';
import { describeRole } from './describe-role.ts';

export function memberColumns(
  ownID: string,
  actionsOf: (member: Member) => readonly RowAction[],
): readonly Column<Member>[] {
  return [
    {
      id: 'name',
      header: membersTexts.name,
      width: 'minmax(0, 2fr)',
      cell: ({ name, userID }) => (
        <span className={classes.named} title={name}>
          <NameText text={name} />
          {userID === ownID && <StatusBadge tone="good" text={membersTexts.you} />}
        </span>
      ),
    },
    {
      id: 'role',
      header: membersTexts.role,
      width: 'minmax(0, 1fr)',
      cell: (member) => <span title={member.permissions.join(', ')}>{describeRole(member)}</span>,
    },
    {
      id: 'since',
      header: membersTexts.since,
      width: '8rem',
      hideBelow: 'sm',
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      id: 'by',
      header: membersTexts.by,
      width: 'minmax(0, 1fr)',
      hideBelow: 'md',
      cell: ({ createdBy: { name, kind } }) =>
        name == null ? membersTexts.kinds[kind] : <bdi title={name}>{name}</bdi>,
    },
    {
      id: 'actions',
      header: partsTexts.actions,
      isHeaderHidden: true,
      width: '2.25rem',
      align: 'end',
      cell: (member) => <RowMenu name={member.name} actions={actionsOf(member)} />,
    },
  ];
}
