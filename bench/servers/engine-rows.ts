import { randomBytes } from 'node:crypto';
import { createNewID } from '../../server/src/foundation/clock.ts';
import { migrate } from '../../server/src/foundation/database/migrate.ts';
import { type DatabaseLocation, openDatabase } from '../../server/src/foundation/database/open-database.ts';
import { batchesOf } from '../data/batches.ts';
import { createErrorRows, type NewErrorRow } from '../data/error-rows.ts';
import type { InsertFigures, InsertOrder } from './engine.ts';

export interface EngineRows {
  readonly projectID: string;
  next(count: number, rowsPerAgent: number): NewErrorRow[];
}

const agentsPerInsert = 100;

/** Creates the product's tables, with one project and its agents; returns the source of their errors. */
export async function prepareTables(
  location: Omit<DatabaseLocation, 'onConnectionError'>,
  agents: number,
): Promise<EngineRows> {
  const newID = createNewID(Date.now, randomBytes);
  const database = await openDatabase({ ...location, onConnectionError: () => undefined });
  await migrate(database);
  const now = Date.now();
  const projectID = newID();
  const agentIDs = Array.from({ length: agents }, newID);
  await database.write
    .insertInto('projects')
    .values({ id: projectID, name: 'bench', created_at: now, updated_at: now, deleted_at: null })
    .execute();
  for (const ids of batchesOf(agentIDs, agentsPerInsert)) {
    await database.write
      .insertInto('agents')
      .values(
        ids.map((id) => ({
          id,
          project_id: projectID,
          machine_id: id,
          name: id,
          flags: '[]',
          metadata: '{}',
          tags: '[]',
          epoch: 1,
          created_at: now,
          updated_at: now,
          last_seen_at: now,
        })),
      )
      .execute();
  }
  await database.close();
  return { projectID, next: createErrorRows(projectID, agentIDs) };
}

/** Inserts batches for a while; the time to create the rows does not count. */
export async function insertFor(
  { batchSize, rowsPerAgent, seconds }: InsertOrder,
  rows: EngineRows,
  insert: (batch: readonly NewErrorRow[]) => void | Promise<void>,
): Promise<InsertFigures> {
  let inserted = 0;
  let milliseconds = 0;
  while (milliseconds < seconds * 1_000) {
    const batch = rows.next(batchSize, rowsPerAgent);
    const started = performance.now();
    await insert(batch);
    milliseconds += performance.now() - started;
    inserted += batch.length;
  }
  return { rows: inserted, seconds: milliseconds / 1_000 };
}
