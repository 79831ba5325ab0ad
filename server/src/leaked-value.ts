import type { TokenDigest } from './secret.ts';
import type { LeakMode } from './settings/setting-types.ts';

/** A value that somebody reported as found. The value itself is not stored. */
export interface LeakedValue {
  readonly digest: TokenDigest;
  /** Where it was found, in the words of whoever reported it; without secrets. */
  readonly source: string | null;
  /** The report, for the audit log. */
  readonly by: {
    readonly kind: 'system';
    readonly name: string;
    readonly origin: { readonly address: string | undefined; readonly requestID: string };
  };
}

/** What was done about a valid credential. */
export interface HandledLeak {
  readonly kind: 'project' | 'access' | 'agent' | 'core_instance' | 'invitation' | 'session' | 'sign_in_link';
  /** Of the token, the agent, the invitation, the session or the link. */
  readonly id: string;
  readonly projectID: string | undefined;
  readonly isRevoked: boolean;
}

/** Knows the credentials of one kind, and deals with those that were found in public. */
export interface LeakKeeper {
  /** Those of the digests that are of values of its credentials. One statement, whatever it finds. */
  findLeaked(digests: readonly TokenDigest[]): Promise<readonly string[]>;
  /** Does nothing about a value that is not valid, or that was dealt with before. Undefined: nothing was done. */
  handleLeak(leak: LeakedValue, mode: LeakMode): Promise<HandledLeak | undefined>;
}

/** Shown as the reason of a revoked token. */
export const leakReason = 'Its value was reported as found in public';
