import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ErrorGroupStage } from '../testing/stages/error-group-stage.ts';

const storedErrors = 2_000;

let stage: ErrorGroupStage;

beforeAll(async () => {
  stage = await ErrorGroupStage.open();
});

afterAll(() => stage.close());

/** PostgreSQL only: statements on SQLite name their index. */
it('a list of the errors of an agent in a group does not read those of other agents in it', async () => {
  const { database, errors, counter } = stage.first;
  const projectID = await stage.addProject();
  const [one, other] = [await stage.addAgent(projectID), await stage.addAgent(projectID)];
  const [created] = await stage.report(one, projectID, ['disk full']);
  if (created?.kind !== 'created') throw new Error('the error is new');
  await counter.catchUp();
  await sql`
    insert into agent_errors (
      agent_id, id, project_id, group_id, error, error_digest, epoch, created_at, occurrences, last_seen_at)
    select ${other}, gen_random_uuid(), project_id, group_id, 'disk full', sha256(n::text::bytea), 1, 1, 1, 1
    from agent_errors, generate_series(1, ${sql.lit(storedErrors)}) as n where id = ${created.id}`.execute(
    database.write,
  );
  await sql`analyze agent_errors`.execute(database.write);
  const { groupID } = await sql<{ groupID: string }>`
    select group_id as "groupID" from agent_errors where id = ${created.id}`
    .execute(database.read)
    .then(({ rows: [row] }) => row ?? { groupID: '' });
  await database.read.transaction().execute(async (trx) => {
    for (const dismissed of [undefined, false, true]) {
      const unfiltered = { text: undefined, fleetID: undefined, since: undefined, until: undefined };
      const filter = { ...unfiltered, projectID, agentID: one, groupID, dismissed };
      const rows = await errors.listOfProject(trx, filter, { limit: 30, before: undefined });
      expect(rows.map(({ id }) => id)).toEqual(dismissed ? [] : [created.id]);
    }
    // Rows that an index led to are counted with the index.
    const { rows } = await sql<{ count: number }>`
      select sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::int as count
      from pg_class where oid = 'agent_errors'::regclass
        or oid in (select indexrelid from pg_index where indrelid = 'agent_errors'::regclass)`.execute(trx);
    expect(rows[0]?.count).toBeLessThan(storedErrors / 10);
  });
});
