import type { Tables } from '../tables.ts';

/**
 * How a table comes over. `rows`: each row as it is. `generation`: the target counts on from whichever side is
 * further, so that what any replica remembers of a credential is asked again.
 */
type CopyMode = 'rows' | 'generation';

/** A table that is missing here does not compile; those that others refer to come first. */
const tables: Readonly<Record<keyof Tables, Omit<CopiedTable, 'name'>>> = {
  users: { mode: 'rows' },
  access_tokens: { mode: 'rows' },
  credential_changes: { mode: 'generation' },
  projects: { mode: 'rows' },
  project_tokens: { mode: 'rows' },
  agents: { mode: 'rows' },
  agent_signs: { mode: 'rows' },
  agent_tokens: { mode: 'rows' },
  agent_configs: { mode: 'rows' },
  // Before the errors: each error that comes is counted in its group.
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
  agent_errors: { mode: 'rows', order: ['id'] },
};

/** Tables that are not copied, since the target fills its own while errors come over. */
export const recountedTables: readonly string[] = [
  'agent_error_changes',
  'agent_error_group_agents',
  'agent_error_grouping',
];

export interface CopiedTable {
  readonly name: string;
  readonly mode: CopyMode;
  /** Columns in whose order rows are copied, where both sides have an index on them. Absent: those of the primary key. */
  readonly order?: readonly string[];
  /** Columns that are not copied, since the target counts its rows itself. */
  readonly recounted?: readonly string[];
}

/** Every table of an installation, in the order in which they are filled. */
export const copiedTables: readonly CopiedTable[] = Object.entries(tables).map(([name, table]) => ({
  name,
  ...table,
}));
