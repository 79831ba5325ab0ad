/** What one check has found. */
export interface Finding {
  /** What was checked, such as `disk`. */
  readonly check: string;
  /** `note`: worth knowing. `warning`: will hurt later. `failure`: hurts now. */
  readonly level: 'ok' | 'note' | 'warning' | 'failure';
  /** What it is and why that matters, in whole sentences. */
  readonly message: string;
  /** What to do. Absent if there is nothing to do. */
  readonly advice?: string;
}

export type Report = (level: Finding['level'], message: string, advice?: string) => void;
