import { Button } from '@mantine/core';
import type { Token } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { RelativeTime } from '../parts/relative-time.tsx';
import { whenReachable } from '../service/when-reachable.ts';
import { useMay } from '../session/use-may.ts';
import { overviewTexts } from '../texts/overview.ts';
import { Item } from './attention-item.tsx';

const RotateTokenDialog = lazy(
  whenReachable(async () => ({
    default: (await import('../tokens/rotate-token-dialog.tsx')).RotateTokenDialog,
  })),
);

interface TokenItemProps {
  readonly projectID: string;
  readonly token: Token;
}

/** A token that is about to expire, whether anybody uses it, and a new value for it. */
export function TokenItem({ projectID, token }: TokenItemProps) {
  const { id: tokenID, name, expiresAt, lastUsedAt } = token;
  const mayRotate = useMay(projectID)('update:token');
  const [isAsked, setIsAsked] = useState(false);
  return (
    <Item
      tone="warning"
      title={
        <Link to="/projects/$projectID/tokens/$tokenID" params={{ projectID, tokenID }}>
          {overviewTexts.token} {name} {overviewTexts.expires}{' '}
          {expiresAt !== null && <RelativeTime at={expiresAt} />}
        </Link>
      }
      isAction={mayRotate}
      end={
        mayRotate && (
          <Button variant="default" size="compact-sm" onClick={() => setIsAsked(true)}>
            {overviewTexts.rotate}
            <span className="visually-hidden"> {name}</span>
          </Button>
        )
      }
    >
      {lastUsedAt === null ? (
        overviewTexts.neverUsed
      ) : (
        <>
          {overviewTexts.lastUsed} <RelativeTime at={lastUsedAt} />.
        </>
      )}
      {isAsked && (
        <Suspense>
          <RotateTokenDialog projectID={projectID} token={token} isOpen onClose={() => setIsAsked(false)} />
        </Suspense>
      )}
    </Item>
  );
}
