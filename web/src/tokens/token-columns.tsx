import { Button } from '@mantine/core';
import type { Token } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../parts/amount.ts';
import { HostileText } from '../parts/hostile-text.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import type { Column } from '../table/column.ts';
import { tokensTexts } from '../texts/tokens.ts';
import { describePermissions } from './describe-permissions.ts';
import { isValid } from './is-valid.ts';
import classes from './token-columns.module.css';
import { TokenStatus } from './token-status.tsx';

/** @param onRotate undefined: the user may not rotate tokens */
export function tokenColumns(
  projectID: string,
  onRotate: ((token: Token) => void) | undefined,
): readonly Column<Token>[] {
  return [
    {
      id: 'name',
      header: tokensTexts.name,
      width: 'minmax(0, 2fr)',
      cell: ({ id, name }) => (
        <Link
          to="/projects/$projectID/tokens/$tokenID"
          params={{ projectID, tokenID: id }}
          className={classes.name}
        >
          <HostileText text={name} isLine />
        </Link>
      ),
    },
    {
      id: 'status',
      header: tokensTexts.status,
      width: '5.5rem',
      cell: (token) => <TokenStatus token={token} />,
    },
    {
      id: 'permissions',
      header: tokensTexts.permissions,
      width: 'minmax(0, 2fr)',
      hideBelow: 'md',
      cell: ({ permissions }) => describePermissions(permissions),
    },
    {
      id: 'agents',
      header: tokensTexts.agents,
      width: '4.5rem',
      align: 'end',
      hideBelow: 'sm',
      cell: ({ agentsCount }) => formatNumber(agentsCount),
    },
    {
      id: 'lastUsed',
      header: tokensTexts.lastUsed,
      width: '6.5rem',
      align: 'end',
      cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />,
    },
    {
      id: 'expires',
      header: tokensTexts.expires,
      width: '6.5rem',
      align: 'end',
      hideBelow: 'md',
      cell: ({ expiresAt }) => <Time at={expiresAt} />,
    },
    ...(onRotate === undefined ? [] : [rotateColumn(onRotate)]),
  ];
}

function rotateColumn(onRotate: (token: Token) => void): Column<Token> {
  return {
    id: 'rotate',
    header: tokensTexts.rotate,
    isHeaderHidden: true,
    width: '5.5rem',
    align: 'end',
    hideBelow: 'sm',
    cell: (token) =>
      isValid(token) && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`${tokensTexts.rotateDots} ${token.name}`}
          onClick={() => onRotate(token)}
        >
          {tokensTexts.rotateDots}
        </Button>
      ),
  };
}

function Time({ at }: { readonly at: string | null }) {
  return at === null ? <span className="quiet">{tokensTexts.never}</span> : <RelativeTime at={at} />;
}
