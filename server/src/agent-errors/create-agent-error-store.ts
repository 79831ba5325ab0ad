import type { Database } from '../database/database.ts';
import type { AgentErrorStore } from './agent-error-store.ts';
import { createErrorChanges } from './error-change-store.ts';
import { createErrorLists } from './error-list-store.ts';

export function createAgentErrorStore(database: Database): AgentErrorStore {
  return { ...createErrorLists(database), ...createErrorChanges(database) };
}
