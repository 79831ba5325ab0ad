import { Button } from '@mantine/core';
import type { Session } from '@muster/client';
import { HostileText } from '../../parts/hostile-text.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import type { Column } from '../../table/column.ts';
import { sessionsTexts } from '../../texts/sessions.ts';
import classes from '../settings.module.css';
import { describeBrowser } from './describe-browser.ts';

export function sessionColumns(onEnd: (session: Session) => void): readonly Column<Session>[] {
  return [
    {
      id: 'browser',
      header: sessionsTexts.browser,
      width: 'minmax(0, 2fr)',
      cell: ({ userAgent, current }) => (
        <span className={classes.named}>
          <Browser userAgent={userAgent} />
          {current && <StatusBadge tone="good" text={sessionsTexts.current} />}
        </span>
      ),
    },
    {
      id: 'address',
      header: sessionsTexts.address,
      width: 'minmax(8rem, 1fr)',
      hideBelow: 'sm',
      cell: ({ address }) => address ?? sessionsTexts.unknown,
    },
    {
      id: 'method',
      header: sessionsTexts.method,
      width: '10rem',
      hideBelow: 'lg',
      cell: ({ method }) => sessionsTexts.methods[method],
    },
    {
      id: 'created',
      header: sessionsTexts.created,
      width: '8rem',
      hideBelow: 'md',
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      id: 'lastUsed',
      header: sessionsTexts.lastUsed,
      width: '6rem',
      cell: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} />,
    },
    {
      id: 'expires',
      header: sessionsTexts.ends,
      width: '7rem',
      hideBelow: 'md',
      cell: ({ expiresAt }) => <RelativeTime at={expiresAt} />,
    },
    {
      id: 'end',
      header: sessionsTexts.end,
      width: '5.5rem',
      align: 'end',
      cell: (session) => (
        <Button size="compact-xs" variant="default" onClick={() => onEnd(session)}>
          {`${session.current ? sessionsTexts.signOut : sessionsTexts.end}…`}
        </Button>
      ),
    },
  ];
}

function Browser({ userAgent }: { readonly userAgent: string | null }) {
  if (userAgent === null) return sessionsTexts.unknown;
  const name = describeBrowser(userAgent);
  return name === undefined ? (
    <HostileText text={userAgent} isLine />
  ) : (
    <span className={classes.browser} title={userAgent}>
      {name}
    </span>
  );
}
