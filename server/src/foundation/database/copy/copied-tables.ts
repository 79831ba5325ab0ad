import type { Tables } from '../tables.ts';

/**
 * How a table is copied. `rows`: each row unchanged. `generation`: the target continues from the higher number of
 * the two sides, so that every replica reads cached credentials again.
 */
type CopyMode = 'rows' | 'generation';

/** Must name every table but that of notes, which the target writes itself, or it does not compile. Tables that others refer to come first. */
const tables: Readonly<Record<Exclude<keyof Tables, 'credential_notes'>, Omit<CopiedTable, 'name'>>> = {
  users: { mode: 'rows' },
  access_tokens: { mode: 'rows' },
  credential_changes: { mode: 'generation' },
  projects: { mode: 'rows' },
  project_members: { mode: 'rows' },
  invitations: { mode: 'rows' },
  sessions: { mode: 'rows' },
  sign_in_links: { mode: 'rows' },
  project_tokens: { mode: 'rows' },
  earlier_secrets: { mode: 'rows' },
  rotations: { mode: 'rows' },
  token_days: { mode: 'rows' },
  token_origins: { mode: 'rows' },
  earlier_secret_origins: { mode: 'rows' },
  token_leaks: { mode: 'rows' },
  provisioned: { mode: 'rows' },
  project_moves: { mode: 'rows' },
  agents: { mode: 'rows' },
  core_instances: { mode: 'rows' },
  agent_aliases: { mode: 'rows' },
  fleets: { mode: 'rows' },
  fleet_files: { mode: 'rows' },
  fleet_contents: { mode: 'rows' },
  fleet_versions: { mode: 'rows' },
  fleet_publications: { mode: 'rows' },
  fleet_agents: { mode: 'rows' },
  fleet_variables: { mode: 'rows' },
  fleet_secrets: { mode: 'rows' },
  rollouts: { mode: 'rows' },
  rollout_agents: { mode: 'rows' },
  agent_signs: { mode: 'rows' },
  agent_tokens: { mode: 'rows' },
  agent_configs: { mode: 'rows' },
  // Before the errors, because each copied error is counted in its group.
  agent_error_groups: {
    mode: 'rows',
    recounted: [
      'occurrences',
      'current_errors',
      'superseded_errors',
      'dismissed_errors',
      'current_agents',
      'superseded_agents',
      'open_agents',
      'dismissed_agents',
      'agents',
    ],
  },
  dismissals: { mode: 'rows' },
  dismissal_agents: { mode: 'rows' },
  audit_chains: { mode: 'rows' },
  audit_entries: { mode: 'rows' },
  audit_pending: { mode: 'rows' },
  agent_errors: { mode: 'rows', order: ['id'] },
  alert_channels: { mode: 'rows' },
  alert_rules: { mode: 'rows' },
  alerts: { mode: 'rows' },
  alert_notes: { mode: 'rows' },
  alert_deliveries: { mode: 'rows' },
};

/** Tables that are not copied: the target fills its own while errors are copied, and begins with events of its own, whose numbers follow those of the source. */
export const recountedTables: readonly string[] = [
  'agent_changes',
  'agent_error_changes',
  'agent_error_group_agents',
  'agent_error_grouping',
  'agent_states',
  'agent_version_counts',
  'alert_cursors',
  'credential_notes',
  'event_changes',
  'event_folds',
  'event_sequences',
  'events',
  'counting_partitions',
  'listening_periods',
  'project_counts',
];

export interface CopiedTable {
  readonly name: string;
  readonly mode: CopyMode;
  /** The columns that define the order of copying. Both sides have an index on them. Default: the primary key. */
  readonly order?: readonly string[];
  /** Columns that are not copied, because the target numbers its rows itself. */
  readonly recounted?: readonly string[];
}

/** Every table of an installation, in the order in which they are filled. */
export const copiedTables: readonly CopiedTable[] = Object.entries(tables).map(([name, table]) => ({
  name,
  ...table,
}));
