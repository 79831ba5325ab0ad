import { dirname } from 'node:path';
import { loadSqliteDriver } from '../../server/src/database/sqlite/load-driver.ts';
import type { NewErrorRow } from '../data/error-rows.ts';
import { answerQuestions } from '../processes/worker-process.ts';
import type { InsertFigures, InsertOrder } from './engine.ts';
import { type EngineRows, insertFor, prepareTables } from './engine-rows.ts';

const insertSql = `
  insert into agent_errors (
    agent_id, id, project_id, error, error_digest, epoch, created_at, occurrences, last_seen_at
  ) values (?1, ?2, ?3, ?4, ?5, 1, ?6, 1, ?6)`;

let insertBatches: ((order: InsertOrder) => Promise<InsertFigures>) | undefined;

answerQuestions({
  async open({ place, agents }: { place: { file: string }; agents: number }) {
    const rows = await prepareTables({ dataDirectory: dirname(place.file), databaseUrl: undefined }, agents);
    insertBatches = openBatches(place.file, rows);
  },
  async insert(order: InsertOrder) {
    return insertBatches?.(order);
  },
});

/** With the settings of the product's writer: WAL, every commit on the disk, 64 MiB of cache. */
function openBatches(file: string, rows: EngineRows): (order: InsertOrder) => Promise<InsertFigures> {
  const { DatabaseSync } = loadSqliteDriver();
  const connection = new DatabaseSync(file);
  connection.exec('PRAGMA journal_mode = WAL');
  connection.exec('PRAGMA synchronous = FULL');
  connection.exec('PRAGMA cache_size = -65536');
  const statement = connection.prepare(insertSql);
  const insert = (batch: readonly NewErrorRow[]) => {
    connection.exec('BEGIN IMMEDIATE');
    for (const { agentID, id, error, digest, createdAt } of batch) {
      statement.run(agentID, id, rows.projectID, error, digest, createdAt);
    }
    connection.exec('COMMIT');
  };
  return (order) => insertFor(order, rows, insert);
}
