import type { Kysely } from 'kysely';
import { agentErrorChangeTables } from './0001-initial/agent-error-changes.ts';
import { agentErrorGroupTables } from './0001-initial/agent-error-groups.ts';
import { agentErrorTablesOnPostgres } from './0001-initial/agent-errors-postgres.ts';
import { agentErrorTablesOnSqlite } from './0001-initial/agent-errors-sqlite.ts';
import { agentStateTables } from './0001-initial/agent-states.ts';
import { agentTables } from './0001-initial/agents.ts';
import { alertTables } from './0001-initial/alerts.ts';
import { auditTables } from './0001-initial/audit.ts';
import { coreInstanceTables } from './0001-initial/core-instances.ts';
import { dismissalTables } from './0001-initial/dismissals.ts';
import { eventTables } from './0001-initial/events.ts';
import { fleetTables } from './0001-initial/fleets.ts';
import { projectMoveTables } from './0001-initial/project-moves.ts';
import { projectTokenTables } from './0001-initial/project-tokens.ts';
import { projectTables } from './0001-initial/projects.ts';
import { rolloutTables } from './0001-initial/rollouts.ts';
import { userTables } from './0001-initial/users.ts';
import type { Engine } from './column-types.ts';

/** The tables of the first release, with their indexes, triggers and first rows. What the columns mean is told by the types of the rows (tables.ts). */
export async function createInitialTables(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const statements = [
    ...userTables(engine),
    ...projectTables(engine),
    ...projectMoveTables(engine),
    ...projectTokenTables(engine),
    ...coreInstanceTables(engine),
    ...agentTables(engine),
    ...fleetTables(engine),
    ...rolloutTables(engine),
    ...agentStateTables(engine),
    ...(engine === 'sqlite' ? agentErrorTablesOnSqlite() : agentErrorTablesOnPostgres()),
    ...agentErrorChangeTables(engine),
    ...agentErrorGroupTables(engine),
    ...dismissalTables(engine),
    ...eventTables(engine),
    ...auditTables(engine),
    ...alertTables(engine),
  ];
  for (const statement of statements) await statement.execute(db);
}
