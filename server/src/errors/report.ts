import type { LimitName } from '@muster/http/limits/new-error-limits';

export type { LimitName } from '@muster/http/limits/new-error-limits';

/** One report of an agent that is to be stored. */
export interface Report {
  /** The id of the error if it is stored. That of a core instance's report is the same when it is passed on again. */
  readonly id: string;
  readonly agentID: string;
  readonly projectID: string;
  readonly error: string;
  /** The first 128 bits of the SHA-256 of its text, in words of 32 bits. Absent: computed when it is needed. */
  readonly shortDigest?: Uint32Array | undefined;
  /** Milliseconds; the time in the id, so that order by id is order by time. */
  readonly createdAt: number;
  /** The generation for which the credential was checked; see CredentialFreshness. */
  readonly generation: number;
  /** True if the project has reached its limit on stored bytes: only repeats are accepted. Absent: false. */
  readonly isProjectFull?: boolean;
  /** True if a core instance passes it on, which may be long after the agent made it. Absent: false. */
  readonly isOfSite?: boolean;
}

/** A report that a core instance passes on. Its id follows from where it stands, so that a repetition finds what the first attempt has stored. */
export type SiteReport = Pick<Report, 'id' | 'agentID' | 'projectID' | 'error'>;

/** A report with the SHA-256 of its text as hexadecimal digits, and the group of its error. */
export type DigestedReport = Report & {
  readonly digest: string;
  readonly groupID: string;
  /** Why the error is dismissed when it is stored. Absent: its group is not muted. */
  readonly dismissReason?: string;
};

/** The outcome of a report. `created` and `ignored` contain the error that now represents it. */
export type ReportOutcome =
  | {
      readonly kind: 'created' | 'ignored';
      readonly id: string;
      readonly createdAt: number;
      /** True if the error is dismissed, because its group is muted. Absent: it is open. */
      readonly isMuted?: boolean;
    }
  | { readonly kind: 'agent_not_found' }
  | { readonly kind: 'agent_deleted' }
  /** The credential must be looked at again first: nothing was stored. */
  | { readonly kind: 'credential_changed' }
  | { readonly kind: 'limited'; readonly limit: LimitName };

/** The error for a report, and whether the report created it. It is open unless its group is muted. */
export type AcceptedReport = Extract<ReportOutcome, { readonly kind: 'created' | 'ignored' }>;

/** Stores reports that arrived together in one durable commit. Returns the outcomes in the order of the reports. */
export type StoreReports = (reports: readonly Report[]) => Promise<readonly ReportOutcome[]>;
