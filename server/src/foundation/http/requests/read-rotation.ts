import { idempotencyKeyPattern, type RotateToken, type Route } from '@muster/contract';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../refusal.ts';
import type { Secret } from '../../secret.ts';
import { presentedSecret } from '../authentication/authenticate.ts';

interface AskedRotation {
  readonly input: RotateToken;
  /** The Idempotency-Key, if there is one. */
  readonly key: string | undefined;
  /** The credential of the request. */
  readonly credential: Secret;
}

/** What a request for a rotation asks for. @throws Refusal invalid_idempotency_key */
export function readRotation(
  { credentials }: Pick<Route, 'credentials'>,
  { headers }: FastifyRequest,
  input: RotateToken,
): AskedRotation {
  return { input, key: readKey(headers), credential: presentedSecret(credentials, headers) };
}

function readKey(headers: FastifyRequest['headers']): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && idempotencyKeyPattern.test(key)) return key;
  throw new Refusal('invalid_idempotency_key');
}
