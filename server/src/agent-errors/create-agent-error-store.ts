import type { Database } from '../database/database.ts';
import type { Memory } from '../memory.ts';
import type { AgentErrorStore } from './agent-error-store.ts';
import { createErrorChanges } from './error-change-store.ts';
import { createErrorLists } from './error-list-store.ts';

export function createAgentErrorStore(database: Database, memory: Memory): AgentErrorStore {
  return { ...createErrorLists(database), ...createErrorChanges(database, memory) };
}
