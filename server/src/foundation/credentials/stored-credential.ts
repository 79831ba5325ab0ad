import type { Refusal } from '../refusal.ts';
import type { TokenDigest } from '../secret.ts';
import type { Principal } from './principal.ts';

/** What is stored of a credential: its principal, and whether it is still valid. */
export interface StoredCredential {
  readonly principal: Principal;
  readonly revoked: boolean;
  /** Set if its owner is deleted. */
  readonly deleted?: 'core_instance_deleted' | undefined;
  /** Completes when the first use of the credential is stored, if that changes anything. Called before the first request is admitted. */
  readonly noteFirstUse?: (() => Promise<void>) | undefined;
}

/** Looks up committed credentials with one statement. Unknown ones are missing in the result. */
export type FindCredentials = (
  digests: readonly TokenDigest[],
) => Promise<ReadonlyMap<string, StoredCredential>>;

/**
 * Why a credential that is not found as valid is refused for now, by digest: its project is moving, or has moved. Undefined: no project of the
 * installation has ever moved.
 */
export type FindMoving = (
  digests: readonly TokenDigest[],
) => Promise<ReadonlyMap<string, Refusal> | undefined>;
