import type { Database } from '../foundation/database/database.ts';
import type { AgentErrorStore } from './agent-error-store.ts';
import { createPostgresAgentErrorStore } from './agent-error-store-postgres.ts';
import { createSqliteAgentErrorStore } from './agent-error-store-sqlite.ts';

export function createAgentErrorStore(database: Database): AgentErrorStore {
  return database.engine === 'sqlite'
    ? createSqliteAgentErrorStore(database)
    : createPostgresAgentErrorStore(database);
}
