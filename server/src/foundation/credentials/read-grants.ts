import { explainInvalidGrant, foldGrants, type Grant, isGrant } from '@muster/contract';
import { Refusal } from '../refusal.ts';

/**
 * Reads the `permissions` of a body.
 *
 * @throws Refusal invalid_permission, which names the element and the nearest valid one
 */
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
