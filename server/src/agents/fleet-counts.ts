import type { AgentStatus } from '@muster/contract';

interface VersionCount {
  readonly type: string | null;
  readonly version: string | null;
  readonly agents: number;
}

export interface FleetCounts {
  readonly byStatus: Readonly<Record<AgentStatus, number>>;
  /** Those with the most agents first. */
  readonly byVersion: readonly VersionCount[];
}
