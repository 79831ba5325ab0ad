import pg from 'pg';
import type { NewErrorRow } from '../data/error-rows.ts';
import { answerQuestions } from '../processes/worker-process.ts';
import type { InsertFigures, InsertOrder } from './engine.ts';
import { type EngineRows, insertFor, prepareTables } from './engine-rows.ts';

const insertSql = `
  insert into agent_errors (
    agent_id, id, project_id, error, error_digest, epoch, created_at, occurrences, last_seen_at, group_id
  )
  select agent_id, id, $6, error, error_digest, 1, created_at, 1, created_at, group_id
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[], $5::bigint[], $7::uuid[])
    as t (agent_id, id, error, error_digest, created_at, group_id)`;

let insertBatches: ((order: InsertOrder) => Promise<InsertFigures>) | undefined;

answerQuestions({
  async open({ place, agents }: { place: { databaseUrl: string }; agents: number }) {
    const rows = await prepareTables({ dataDirectory: '', databaseUrl: place.databaseUrl }, agents);
    insertBatches = await openBatches(place.databaseUrl, rows);
  },
  async insert(order: InsertOrder) {
    return insertBatches?.(order);
  },
});

/** One connection and one statement per batch, as in a replica of the service. */
async function openBatches(
  databaseUrl: string,
  rows: EngineRows,
): Promise<(order: InsertOrder) => Promise<InsertFigures>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const insert = async (batch: readonly NewErrorRow[]) => {
    await client.query({
      name: 'insert',
      text: insertSql,
      values: [
        batch.map(({ agentID }) => agentID),
        batch.map(({ id }) => id),
        batch.map(({ error }) => error),
        batch.map(({ digest }) => digest),
        batch.map(({ createdAt }) => createdAt),
        rows.projectID,
        batch.map(({ groupID }) => groupID),
      ],
    });
  };
  return (order) => insertFor(order, rows, insert);
}
