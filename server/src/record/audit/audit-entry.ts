import { type AuditAction, type AuditTargetKind, canonicalJson, type JsonValue } from '@muster/contract';
import { toTimestamp } from '../../foundation/clock.ts';
import {
  actorOf,
  nameOf,
  type Principal,
  type RequestOrigin,
} from '../../foundation/credentials/principal.ts';
import { auditValue, auditValues, type RecordedValues } from './audit-values.ts';

/** Who makes a change: the caller of a request, or the service itself. */
export type AuditActor = Principal | SystemActor | NewUser;

/** The service itself, or a caller without a credential. */
interface SystemActor {
  readonly kind: 'system';
  /** What made it act, such as `MUSTER_PROVISION_FILE`. Null: nothing but itself. */
  readonly name: string | null;
  /** Of the request, if there is one. */
  readonly origin?: RequestOrigin | undefined;
}

/** A user who has no credential yet. */
interface NewUser {
  readonly kind: 'user';
  readonly id: string;
  readonly name: string;
  readonly origin: RequestOrigin;
}

/** A change, as the feature that makes it describes it. */
export interface AuditChange {
  /** Null: it belongs to no project. */
  readonly projectID: string | null;
  readonly action: AuditAction;
  readonly target: {
    readonly kind: AuditTargetKind;
    readonly id: string | null;
    /** What it was called then. */
    readonly name?: string | null;
  };
  /**
   * What the change replaced, and what it is now, in the terms of the API: only what changed, if it is an update. Never a secret, a configuration
   * or a digest of either.
   */
  readonly before?: RecordedValues;
  readonly after?: RecordedValues;
}

/** An entry before it is appended to its chain, which gives it a sequence number and the digests. */
export interface NewAuditEntry {
  readonly id: string;
  readonly createdAt: number;
  readonly projectID: string | null;
  readonly action: AuditAction;
  readonly actor: {
    readonly kind: string;
    readonly id: string | null;
    readonly name: string | null;
    readonly credentialID: string | null;
  };
  readonly address: string | null;
  readonly requestID: string | null;
  readonly target: { readonly kind: string; readonly id: string | null; readonly name: string | null };
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** Describes a change for the log. Every text that somebody wrote is searched for secrets of known forms. */
export function makeAuditEntry(
  by: AuditActor,
  change: AuditChange,
  { id, createdAt }: { readonly id: string; readonly createdAt: number },
): NewAuditEntry {
  if (by.kind !== 'system' && by.origin === undefined) {
    throw new Error('a principal that makes a change comes from the handler of a request');
  }
  const { projectID, action, target, before, after } = change;
  return {
    id,
    createdAt,
    projectID,
    action,
    actor: {
      ...describeActor(by),
      credentialID: by.kind === 'access' ? (by.accessTokenID ?? null) : null,
    },
    address: by.origin?.address ?? null,
    requestID: auditValue(by.origin?.requestID ?? null),
    target: { kind: target.kind, id: target.id, name: auditValue(target.name ?? null) },
    before: auditValues(before),
    after: auditValues(after),
  };
}

function describeActor(by: AuditActor): Omit<NewAuditEntry['actor'], 'credentialID'> {
  switch (by.kind) {
    case 'system':
      return { kind: by.kind, id: null, name: auditValue(by.name) };
    case 'user':
      return { kind: by.kind, id: by.id, name: auditValue(by.name) };
    default:
      return { ...actorOf(by), name: auditValue(nameOf(by)) };
  }
}

/** The text of an entry for its digest, without what only the database knows. */
interface AuditTextParts {
  /** Ends where the digest of the previous entry follows. */
  readonly start: string;
  /** Ends where the sequence number follows. */
  readonly middle: string;
  readonly end: string;
}

/** `auditText` of the contract in parts. Names of members are in the order of RFC 8785. */
export function auditTextParts(entry: NewAuditEntry): AuditTextParts {
  const { projectID, requestID, target, createdAt, ...first } = entry;
  const start = canonicalJson({ ...first, createdAt: toTimestamp(createdAt) }).slice(0, -1);
  const middle = canonicalJson({ projectID, requestID }).slice(1, -1);
  return {
    start: `${start},"previousDigest":"`,
    middle: `",${middle},"sequence":`,
    end: `,${canonicalJson({ target }).slice(1)}`,
  };
}
