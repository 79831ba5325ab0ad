import type { Engine } from '../../../foundation/database/migrations/column-types.ts';

/** The time of a preview. */
export interface PreviewedTime {
  readonly engine: Engine;
  /** Milliseconds. */
  readonly since: number;
  /** Milliseconds, exclusive. */
  readonly until: number;
  /** Maximum number of alerts that are described. */
  readonly maxDescribed: number;
}
