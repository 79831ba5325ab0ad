import type { TokenUsage } from '@muster/client';

type UsingAgent = TokenUsage['agents'][number];

/** True if an agent stops reporting when the token is revoked. One with a token of its own goes on. */
export function stopsWithToken({
  reports,
  hasOwnToken,
}: Pick<UsingAgent, 'reports' | 'hasOwnToken'>): boolean {
  return reports && !hasOwnToken;
}
