import { explainInvalidGrant, foldGrants, type Grant, isGrant } from '@muster/contract';
import { toTimestamp } from '../clock.ts';
import { Refusal } from '../refusal.ts';

/** @throws Refusal invalid_permission, which names the element and the nearest valid one */
export function readGrants(permissions: readonly string[]): Grant[] {
  const fields = permissions.flatMap((text, index) =>
    isGrant(text) ? [] : [{ path: `/permissions/${index}`, message: explainInvalidGrant(text) }],
  );
  if (fields.length > 0) {
    throw new Refusal('invalid_permission', {
      detail: fields.map(({ message }) => message).join(' '),
      fields,
    });
  }
  return foldGrants(permissions.filter(isGrant));
}

/** @throws Refusal expiry_exceeds_own */
export function refuseLasting(expiresAt: number | null | undefined, until: number | undefined): void {
  if (expiresAt === undefined || until === undefined) return;
  if (expiresAt !== null && expiresAt <= until) return;
  throw new Refusal('expiry_exceeds_own', {
    detail: `The token may be valid until ${toTimestamp(until)} at most, because this installation limits tokens that users of the identity provider create (MUSTER_OIDC_PROJECT_TOKEN_DAYS).`,
    fields: [{ path: '/expiresAt', message: `must be ${toTimestamp(until)} or earlier` }],
  });
}
