/** The columns of a channel that a check needs. Its name and its secrets are not read. */
export interface StoredChannel {
  readonly id: string;
  readonly kind: string;
  /** The host, or the recipients of mail. */
  readonly target: string;
  readonly key_id: string | null;
  readonly disabled_reason: string | null;
  /** Null unless the last attempt failed. */
  readonly last_failure: string | null;
}

export const alertChannelsSql =
  'select id, kind, target, key_id, disabled_reason, case when failing_since is null then null else last_failure end as last_failure from alert_channels order by id';
