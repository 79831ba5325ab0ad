import type { Rollout } from '@muster/contract';

/** A stage as it is stored. */
export interface StoredStage {
  readonly agentsCount: number;
  /** Of these, the ones that ask with the id of the fleet, as others do, and may get the version before all others have it. */
  readonly sharedCount: number;
  readonly soakSeconds: number;
}

export function stagesOf({ stages }: { readonly stages: string }): readonly StoredStage[] {
  return JSON.parse(stages) as StoredStage[]; // written by the service alone
}

export function approvalsOf({ approvals }: { readonly approvals: string }): Rollout['approvals'] {
  return JSON.parse(approvals) as Rollout['approvals']; // written by the service alone
}
