import type { AccessToken } from '@muster/client';
import { NameText } from '../../parts/name-text.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { type RowAction, RowMenu } from '../../parts/row-menu.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { describeGrants } from '../../permissions/describe-grants.ts';
import type { Column } from '../../table/column.ts';
import { accessTokensTexts } from '../../texts/access-tokens.ts';
import { partsTexts } from '../../texts/parts.ts';
import classes from '../settings.module.css';

export function accessTokenColumns(
  projectName: (id: string) => string,
  actionsOf: (token: AccessToken) => readonly RowAction[],
): readonly Column<AccessToken>[] {
  return [
    {
      id: 'name',
      header: accessTokensTexts.name,
      width: 'minmax(0, 1.5fr)',
      cell: ({ name, leakedAt }) => (
        <span className={classes.named} title={name}>
          <NameText text={name} />
          {leakedAt !== null && <StatusBadge tone="bad" text={accessTokensTexts.leaked} />}
        </span>
      ),
    },
    {
      id: 'value',
      header: accessTokensTexts.value,
      width: '9rem',
      hideBelow: 'lg',
      cell: ({ token }) => <code>{token}</code>,
    },
    {
      id: 'permissions',
      header: accessTokensTexts.permissions,
      width: 'minmax(0, 1fr)',
      hideBelow: 'md',
      cell: ({ permissions }) => (
        <span title={permissions?.join(', ')}>
          {permissions === null ? accessTokensTexts.allOfMine : describeGrants(permissions)}
        </span>
      ),
    },
    {
      id: 'projects',
      header: accessTokensTexts.projects,
      width: 'minmax(0, 1fr)',
      hideBelow: 'lg',
      cell: ({ projects }) => (
        <bdi title={projects?.map(projectName).join(', ')}>{describeProjects(projects, projectName)}</bdi>
      ),
    },
    {
      id: 'lastUsed',
      header: accessTokensTexts.lastUsed,
      width: '7rem',
      hideBelow: 'sm',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? partsTexts.never : <RelativeTime at={lastUsedAt} />),
    },
    {
      id: 'expires',
      header: accessTokensTexts.expires,
      width: '7rem',
      cell: ({ expiresAt }) => (expiresAt === null ? partsTexts.never : <RelativeTime at={expiresAt} />),
    },
    {
      id: 'actions',
      header: partsTexts.actions,
      isHeaderHidden: true,
      width: '2.25rem',
      align: 'end',
      cell: (token) => <RowMenu name={token.name} actions={actionsOf(token)} />,
    },
  ];
}

function describeProjects(projects: readonly string[] | null, projectName: (id: string) => string): string {
  if (projects === null) return accessTokensTexts.allProjects;
  const [only] = projects;
  return projects.length === 1 && only !== undefined
    ? projectName(only)
    : accessTokensTexts.someProjects(projects.length);
}
