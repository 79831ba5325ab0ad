import type { Token } from '@muster/client';
import { isAboutToExpire } from '@muster/contract';
import { StatusBadge, type StatusTone } from '../parts/status-badge.tsx';
import { useTime } from '../parts/use-time.ts';
import { tokensTexts } from '../texts/tokens.ts';

const tones: Readonly<Record<Token['status'], StatusTone>> = {
  active: 'good',
  expiring: 'warning',
  expired: 'quiet',
  revoked: 'bad',
};

export function TokenStatus({ token }: { readonly token: Pick<Token, 'status' | 'expiresAt'> }) {
  const now = useTime();
  const { status } = token;
  if (status === 'expiring' && !isAboutToExpire(token, now))
    return <StatusBadge tone="good" text={tokensTexts.rotated} />;
  return <StatusBadge tone={tones[status]} text={tokensTexts.statuses[status]} />;
}
