import type { Token } from '@muster/client';

/** False for a token that has ended: nothing can be done with it. */
export function isValid({ status }: Pick<Token, 'status'>): boolean {
  return status === 'active' || status === 'expiring';
}
