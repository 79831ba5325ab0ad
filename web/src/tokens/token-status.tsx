import type { Token } from '@muster/client';
import { StatusBadge, type StatusTone } from '../parts/status-badge.tsx';
import { tokensTexts } from '../texts/tokens.ts';

const tones: Readonly<Record<Token['status'], StatusTone>> = {
  active: 'good',
  expiring: 'warning',
  expired: 'quiet',
  revoked: 'bad',
};

export function TokenStatus({ status }: { readonly status: Token['status'] }) {
  return <StatusBadge tone={tones[status]} text={tokensTexts.statuses[status]} />;
}
