import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../refusal.ts';
import { digestToken, type Secret } from '../../secret.ts';

/**
 * Requires the token of the setting, if there is one. RFC 6750: `Authorization: Bearer …`.
 *
 * @throws Refusal missing_credential or invalid_credential
 */
export function requireMetricsToken(
  token: Secret | undefined,
  { headers: { authorization } }: Pick<FastifyRequest, 'headers'>,
): void {
  if (token === undefined) return;
  const sent = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (sent !== undefined && isEqual(token.digest(), digestToken(sent))) return;
  throw new Refusal(authorization === undefined ? 'missing_credential' : 'invalid_credential', {
    detail: 'This service gives its metrics only with the token of its setting MUSTER_METRICS_TOKEN.',
  });
}

function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
