import type { Grant } from '@muster/contract';
import type { AllowedNetworks } from '@muster/http/allowed-networks';
import type { ReportRate } from '@muster/http/limits/report-rate';

/** A credential of the project, of which only the digest is known. */
export interface SiteCredential {
  readonly kind: 'project' | 'agent';
  /** Of the token or of the agent. */
  readonly id: string;
  readonly permissions: readonly Grant[];
  /** Undefined: from everywhere. */
  readonly networks: AllowedNetworks | undefined;
  /** Limits on its reports. */
  readonly rates: readonly ReportRate[];
  /** In milliseconds. Null: never. */
  readonly expiresAt: number | null;
  readonly isRevoked: boolean;
}
