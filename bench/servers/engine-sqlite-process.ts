import { dirname } from 'node:path';
import { foldVersion } from '@muster/faults';
import { placeOfID } from '../../server/src/foundation/database/id-place.ts';
import { loadSqliteDriver } from '../../server/src/foundation/database/sqlite/load-driver.ts';
import type { NewErrorRow } from '../data/error-rows.ts';
import { answerQuestions } from '../processes/worker-process.ts';
import type { InsertFigures, InsertOrder } from './engine.ts';
import { type EngineRows, insertFor, prepareTables } from './engine-rows.ts';

const insertSql = `
  insert into agent_error_rows (
    place, id_rest, agent_key, project_key, epoch, digest, occurrences, last_seen_at, error, error_group
  ) values (?1, ?2, ?3, ?4, 1, ?5, 1, ?6, ?7, ?8)`;

const insertGroupSql = `
  insert into agent_error_groups (id, project_id, pattern, example, fold_version, first_seen_at, last_seen_at)
  values (?1, ?2, ?3, ?3, ?4, ?5, ?5)
  returning key`;

const selectIndexesSql = `
  select name from sqlite_schema where type = 'index' and tbl_name = 'agent_error_rows' and sql is not null`;

let insertBatches: ((order: InsertOrder) => Promise<InsertFigures>) | undefined;

answerQuestions({
  async open({ place, agents }: { place: { file: string; isBareTable?: boolean }; agents: number }) {
    const rows = await prepareTables({ dataDirectory: dirname(place.file), databaseUrl: undefined }, agents);
    insertBatches = openBatches(place.file, rows, place.isBareTable ?? false);
  },
  async insert(order: InsertOrder) {
    return insertBatches?.(order);
  },
});

/** With the settings of the product's writer: WAL, every commit synced, 64 MiB of cache. */
function openBatches(
  file: string,
  rows: EngineRows,
  isBareTable: boolean,
): (order: InsertOrder) => Promise<InsertFigures> {
  const { DatabaseSync } = loadSqliteDriver();
  const connection = new DatabaseSync(file);
  connection.exec('PRAGMA journal_mode = WAL');
  connection.exec('PRAGMA synchronous = FULL');
  connection.exec('PRAGMA cache_size = -65536');
  if (isBareTable) {
    const indexes = connection.prepare(selectIndexesSql).all() as { name: string }[]; // the column of the query
    for (const { name } of indexes) connection.exec(`drop index ${name}`);
  }
  const statement = connection.prepare(insertSql);
  const keyOf = connection.prepare('select key from id_keys where id = ?');
  const readKey = (id: string) => (keyOf.get(id) as { key: number }).key; // every id of this run has one
  connection.exec('insert or ignore into id_keys (id) select id from projects');
  connection.exec('insert or ignore into id_keys (id) select id from agents');
  const projectKey = readKey(rows.projectID);
  const agentKeys = new Map<string, number>();
  const insertGroup = connection.prepare(insertGroupSql);
  const groupKeys = new Map<string, number>();
  const keyOfGroup = ({ groupID, error, createdAt }: NewErrorRow): number => {
    const known = groupKeys.get(groupID);
    if (known !== undefined) return known;
    const row = insertGroup.get(groupID, rows.projectID, error, foldVersion, createdAt);
    const { key } = row as { key: number }; // the column that the statement returns
    groupKeys.set(groupID, key);
    return key;
  };
  const insert = (batch: readonly NewErrorRow[]) => {
    connection.exec('BEGIN IMMEDIATE');
    for (const row of batch) {
      const { agentID, id, error, digest, createdAt } = row;
      const agentKey = agentKeys.get(agentID) ?? readKey(agentID);
      agentKeys.set(agentID, agentKey);
      const at = placeOfID(id);
      if (at === undefined) throw new TypeError(`${id} has no place`);
      const prefix = digest.readUIntBE(0, 6);
      statement.run(at.place, at.rest, agentKey, projectKey, prefix, createdAt, error, keyOfGroup(row));
    }
    connection.exec('COMMIT');
  };
  return (order) => insertFor(order, rows, insert);
}
