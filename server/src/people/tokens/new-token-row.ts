import type { Grant } from '@muster/contract';
import { actorOf, nameOf, type Principal } from '../../foundation/credentials/principal.ts';
import type { Secret } from '../../foundation/secret.ts';
import type { LimitChange } from './token-limits.ts';
import type { TokenRow } from './token-store.ts';

export interface TokenToInsert {
  readonly projectID: string;
  readonly name: string;
  readonly grants: readonly Grant[];
  readonly expiresAt: number | null;
  /** Absent: none. */
  readonly limits?: LimitChange;
  /** Undefined: the service itself. */
  readonly creator: Principal | undefined;
  /** What the service calls itself as the creator. Absent: nothing. */
  readonly creatorName?: string;
}

/** A value that exists before its token, with the id that it contains. */
export interface ChosenValue {
  readonly id: string;
  readonly secret: Secret;
}

export function newTokenRow(token: TokenToInsert, { id, secret }: ChosenValue, createdAt: number): TokenRow {
  const { creator } = token;
  const actor = creator === undefined ? { kind: 'system', id: null } : actorOf(creator);
  return {
    id,
    project_id: token.projectID,
    name: token.name,
    permissions: JSON.stringify(token.grants),
    digest: secret.digest(),
    last_four: secret.lastFour(),
    created_at: createdAt,
    expires_at: token.expiresAt,
    last_used_at: null,
    revoked_at: null,
    created_by_kind: actor.kind,
    created_by_id: actor.id,
    created_by_name: creator === undefined ? (token.creatorName ?? null) : nameOf(creator),
    parent_id: creator?.kind === 'project' ? creator.tokenID : null,
    own_permissions: null,
    revoked_by_kind: null,
    revoked_by_id: null,
    revoked_by_name: null,
    revoke_reason: null,
    ends_agents: 0,
    secret_number: 1,
    rotated_at: null,
    rotated_by_id: null,
    leaked_at: null,
    leak_source: null,
    leaked_number: null,
    allowed_networks: null,
    reports_per_second: null,
    ...token.limits,
  };
}
