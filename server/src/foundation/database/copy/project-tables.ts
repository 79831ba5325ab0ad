import type { Tables } from '../tables.ts';

/**
 * How the rows of a table belong to a project: by a column that holds its id, or by one that refers to a row of another table which belongs to it.
 */
export type Belonging =
  | { readonly column: 'id' | 'project_id' | 'chain_id' }
  | { readonly column: string; readonly of: keyof Tables; readonly key: string };

interface MovedTable {
  readonly belongs: Belonging;
  /** Columns that order its pages and identify its rows. */
  readonly key: readonly string[];
  /**
   * `replaced`: rows of a page are removed and written again. `kept`: they are updated, because other rows refer to them or something is counted with
   * them. `appended`: they never change.
   */
  readonly rows: 'replaced' | 'kept' | 'appended';
  /** Columns that the target fills itself. */
  readonly left?: readonly string[];
  /** A column that nobody may read on the way. With `keyID`, it is stored encrypted, with the key of this column. */
  readonly secret?: {
    readonly column: string;
    readonly keyID?: string;
    /** A condition on rows that are only kept for a while: they stay behind if their secret cannot be read. */
    readonly hasEnded?: string;
  };
  /** Columns with ids of rows that must not be of another project. */
  readonly refers?: Readonly<Partial<Record<string, keyof Tables>>>;
  /** Columns that no other row of the installation may have the value of. */
  readonly unique?: readonly string[];
}

/** `stays`: its rows are of the installation, its people or its keys. `made`: the target makes its own. */
type Description = MovedTable | 'stays' | 'made';

const ofProject = { column: 'project_id' } as const;
const ofToken = { column: 'token_id', of: 'project_tokens', key: 'id' } as const;
const ofFleet = { column: 'fleet_id', of: 'fleets', key: 'id' } as const;
const ofAgent = { column: 'agent_id', of: 'agents', key: 'id' } as const;
const agent = { agent_id: 'agents' } as const;
const fleet = { fleet_id: 'fleets' } as const;

/** Must name every table, or it does not compile. Tables that others refer to come first. */
const tables: Readonly<Record<keyof Tables, Description>> = {
  users: 'stays',
  access_tokens: 'stays',
  sessions: 'stays',
  sign_in_links: 'stays',
  project_members: 'stays',
  invitations: 'stays',
  provisioned: 'stays',
  token_leaks: 'stays',
  project_moves: 'stays',
  credential_changes: 'stays',
  credential_notes: 'made',
  projects: { belongs: { column: 'id' }, key: ['id'], rows: 'kept', left: ['deleted_at'] },
  project_tokens: {
    belongs: ofProject,
    key: ['id'],
    rows: 'kept',
    refers: { parent_id: 'project_tokens' },
    unique: ['digest'],
  },
  earlier_secrets: { belongs: ofToken, key: ['digest'], rows: 'replaced' },
  rotations: { belongs: ofToken, key: ['token_id', 'key_digest'], rows: 'replaced' },
  token_days: { belongs: ofToken, key: ['token_id', 'day'], rows: 'replaced' },
  token_origins: { belongs: ofToken, key: ['token_id', 'kind', 'origin'], rows: 'replaced' },
  earlier_secret_origins: {
    belongs: { column: 'digest', of: 'earlier_secrets', key: 'digest' },
    key: ['digest', 'kind', 'origin'],
    rows: 'replaced',
  },
  core_instances: {
    belongs: ofProject,
    key: ['id'],
    rows: 'replaced',
    unique: ['digest', 'earlier_digest'],
  },
  agents: { belongs: ofProject, key: ['id'], rows: 'kept' },
  agent_aliases: { belongs: ofProject, key: ['alias_id'], rows: 'replaced', refers: agent },
  fleets: {
    belongs: ofProject,
    key: ['id'],
    rows: 'replaced',
    secret: { column: 'handle_key' },
    unique: ['number'],
  },
  fleet_files: { belongs: ofFleet, key: ['id'], rows: 'replaced' },
  fleet_contents: { belongs: ofProject, key: ['digest'], rows: 'replaced' },
  fleet_versions: { belongs: ofProject, key: ['id'], rows: 'replaced', refers: fleet },
  fleet_publications: { belongs: ofProject, key: ['seconds'], rows: 'replaced', refers: fleet },
  fleet_agents: {
    belongs: ofProject,
    key: ['fleet_id', 'agent_id'],
    rows: 'replaced',
    refers: { ...agent, ...fleet },
    unique: ['handle'],
  },
  fleet_variables: { belongs: ofProject, key: ['id'], rows: 'replaced', refers: fleet },
  fleet_secrets: {
    belongs: ofProject,
    key: ['id'],
    rows: 'replaced',
    refers: fleet,
    secret: {
      column: 'sealed',
      keyID: 'key_id',
      hasEnded: `(ended_at is not null or exists (
        select 1 from fleets where fleets.id = fleet_id and fleets.deleted_at is not null))`,
    },
  },
  rollouts: { belongs: ofProject, key: ['id'], rows: 'replaced', refers: fleet },
  rollout_agents: {
    belongs: { column: 'rollout_id', of: 'rollouts', key: 'id' },
    key: ['rollout_id', 'agent_id'],
    rows: 'replaced',
    refers: agent,
  },
  agent_signs: { belongs: ofProject, key: ['agent_id'], rows: 'replaced', refers: agent },
  agent_tokens: { belongs: ofAgent, key: ['agent_id', 'digest'], rows: 'replaced', unique: ['digest'] },
  agent_configs: { belongs: ofProject, key: ['agent_id', 'id'], rows: 'replaced', refers: agent },
  agent_error_groups: {
    belongs: ofProject,
    key: ['id'],
    rows: 'kept',
    left: [
      'agents',
      'counted_at',
      'current_agents',
      'current_errors',
      'dismissed_agents',
      'dismissed_errors',
      'occurrences',
      'open_agents',
      'superseded_agents',
      'superseded_errors',
    ],
  },
  dismissals: { belongs: ofProject, key: ['id'], rows: 'kept', left: ['lease_holder', 'lease_until'] },
  dismissal_agents: {
    belongs: { column: 'dismissal_id', of: 'dismissals', key: 'id' },
    key: ['dismissal_id', 'agent_id'],
    rows: 'replaced',
    refers: agent,
  },
  // The ends of the log before its entries, which retention alone may remove.
  audit_chains: { belongs: { column: 'chain_id' }, key: ['chain_id'], rows: 'kept' },
  audit_entries: {
    belongs: { column: 'chain_id' },
    key: ['chain_id', 'sequence'],
    rows: 'appended',
    unique: ['id'],
  },
  // All of it is recorded when the project is frozen.
  audit_pending: 'made',
  agent_errors: {
    belongs: ofProject,
    key: ['id'],
    rows: 'replaced',
    refers: { ...agent, group_id: 'agent_error_groups', dismissal_id: 'dismissals' },
  },
  alert_channels: {
    belongs: ofProject,
    key: ['id'],
    rows: 'replaced',
    secret: { column: 'sealed', keyID: 'key_id' },
  },
  alert_rules: { belongs: ofProject, key: ['id'], rows: 'replaced' },
  alerts: { belongs: ofProject, key: ['id'], rows: 'replaced', refers: { rule_id: 'alert_rules' } },
  alert_notes: {
    belongs: ofProject,
    key: ['id'],
    rows: 'replaced',
    refers: { channel_id: 'alert_channels', alert_id: 'alerts' },
  },
  alert_deliveries: {
    belongs: ofProject,
    key: ['id'],
    rows: 'replaced',
    refers: { channel_id: 'alert_channels' },
  },
};

/** A table whose rows move with their project. */
export interface ProjectTable extends MovedTable {
  readonly name: keyof Tables;
}

/** In the order in which they are written. */
export const projectTables: readonly ProjectTable[] = Object.entries(tables).flatMap(
  ([name, description]) =>
    typeof description === 'string' ? [] : [{ name: name as keyof Tables, ...description }], // keys of the record above
);

/** Every table that this file describes. */
export const describedTables: readonly string[] = Object.keys(tables);

/** Undefined: no rows of such a table are moved. */
export function findProjectTable(name: string): ProjectTable | undefined {
  return projectTables.find((table) => table.name === name);
}
