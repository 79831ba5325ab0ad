import { Button } from '@mantine/core';
import type { Token } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { RelativeTime } from '../parts/relative-time.tsx';
import { useMay } from '../session/use-may.ts';
import { overviewTexts } from '../texts/overview.ts';
import { Item } from './attention-item.tsx';

interface TokenItemProps {
  readonly projectID: string;
  readonly token: Token;
  readonly onRotate: () => void;
}

/** A token that is about to expire, whether anybody uses it, and a new value for it. */
export function TokenItem({ projectID, token, onRotate }: TokenItemProps) {
  const { id: tokenID, name, expiresAt, lastUsedAt } = token;
  const mayRotate = useMay(projectID)('update:token');
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
          <Button variant="default" size="compact-sm" onClick={onRotate}>
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
    </Item>
  );
}
