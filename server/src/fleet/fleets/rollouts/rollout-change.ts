import type { Rollout } from '@muster/contract';

export type StoredVerdict = NonNullable<Rollout['verdict']>;
/** Of the stage that waits for it. */
type StoredApproval = Omit<Rollout['approvals'][number], 'stage'>;

/** What becomes of a rollout, by a person or by itself. */
export type RolloutChange =
  | { readonly kind: 'hold'; readonly until: number | null }
  | { readonly kind: 'pause' | 'resume'; readonly verdict: StoredVerdict }
  | { readonly kind: 'stop'; readonly verdict: StoredVerdict; readonly isReverted: boolean }
  | { readonly kind: 'wait'; readonly verdict: StoredVerdict }
  | { readonly kind: 'approve'; readonly verdict: StoredVerdict; readonly approval: StoredApproval }
  | { readonly kind: 'promote'; readonly verdict: StoredVerdict | null }
  | { readonly kind: 'reverted'; readonly pending: number };
