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
  agent_errors: { mode: 'rows', order: ['id'] },
};

export interface CopiedTable {
  readonly name: string;
  readonly mode: CopyMode;
  /** Columns in whose order rows are copied, where both sides have an index on them. Absent: those of the primary key. */
  readonly order?: readonly string[];
}

/** Every table of an installation, in the order in which they are filled. */
export const copiedTables: readonly CopiedTable[] = Object.entries(tables).map(([name, table]) => ({
  name,
  ...table,
}));
