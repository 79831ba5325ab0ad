/** One report of an agent, on its way to the database. */
export interface Report {
  /** The id that the error gets if it is stored. */
  readonly id: string;
  readonly agentID: string;
  readonly projectID: string;
  readonly error: string;
  /** Milliseconds; the time in the id, so that order by id is order by time. */
  readonly createdAt: number;
  /** What the credential was checked against; see CredentialFreshness. */
  readonly generation: number;
  /** The project has stored as much as it may: only repeats are taken. Absent: it has not. */
  readonly isProjectFull?: boolean;
}

/** A report with the SHA-256 of its text. */
export type DigestedReport = Report & { readonly digest: Buffer };

export type LimitName =
  | 'openPerAgent'
  | 'newPerAgentPerMinute'
  | 'newPerProjectPerSecond'
  | 'storedBytesPerProject';

/** What became of a report. `created` and `ignored` are answered with the error that now stands for it. */
export type ReportOutcome =
  | { readonly kind: 'created' | 'ignored'; readonly id: string; readonly createdAt: number }
  | { readonly kind: 'agent_not_found' }
  | { readonly kind: 'agent_deleted' }
  /** The credential must be looked at again first: nothing was stored. */
  | { readonly kind: 'credential_changed' }
  | { readonly kind: 'limited'; readonly limit: LimitName };

/** The error that stands for a report, and whether the report made it. */
export type AcceptedReport = Extract<ReportOutcome, { readonly kind: 'created' | 'ignored' }>;

/** Stores reports that arrived together in one durable commit; outcomes in the order of the reports. */
export type StoreReports = (reports: readonly Report[]) => Promise<readonly ReportOutcome[]>;
