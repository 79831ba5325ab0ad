import { expiringWithinDays, type Token } from './schemas/token.ts';

const dayMilliseconds = 86_400_000;

/** True if the token itself ends soon. Where an earlier value of it does, because it was rotated, nobody has to do anything. */
export function isAboutToExpire(
  { status, expiresAt }: Pick<Token, 'status' | 'expiresAt'>,
  now: number,
): boolean {
  if (status !== 'expiring' || expiresAt === null) return false;
  return Date.parse(expiresAt) - now < expiringWithinDays * dayMilliseconds;
}
