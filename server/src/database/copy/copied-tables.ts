import type { Tables } from '../tables.ts';

/**
 * How a table comes over. `rows`: each row as it is. `generation`: the target counts on from whichever side is
 * further, so that what any replica remembers of a credential is asked again.
 */
type CopyMode = 'rows' | 'generation';

/** A table that is missing here does not compile; those that others refer to come first. */
const modes: Readonly<Record<keyof Tables, CopyMode>> = {
  users: 'rows',
  access_tokens: 'rows',
  credential_changes: 'generation',
  projects: 'rows',
  project_tokens: 'rows',
  agents: 'rows',
  agent_tokens: 'rows',
  agent_configs: 'rows',
  agent_errors: 'rows',
};

export interface CopiedTable {
  readonly name: string;
  readonly mode: CopyMode;
}

/** Every table of an installation, in the order in which they are filled. */
export const copiedTables: readonly CopiedTable[] = Object.entries(modes).map(([name, mode]) => ({
  name,
  mode,
}));
