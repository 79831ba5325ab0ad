import { hash } from 'node:crypto';
import { foldError } from '@muster/faults';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { placeOfID } from '../../../foundation/database/id-place.ts';
import { withResolvers } from '../../../foundation/with-resolvers.ts';
import { eventually } from '../../../testing/eventually.ts';
import { openPostgresSession } from '../../../testing/postgres/postgres-session.ts';
import { errorTableOf, insertErrors } from '../../../testing/rows/stored-errors.ts';
import { ErrorGroupStage } from '../../../testing/stages/error-group-stage.ts';
import { testEngine } from '../../../testing/test-database.ts';
import { createCountingEngine } from '../counting/create-counting-engine.ts';
import { errorChangeKinds } from '../counting/error-changes.ts';
import { ErrorGroupCounter } from '../counting/error-group-counter.ts';
import { groupIDOf } from './error-group.ts';
import { selectPortionSql } from './group-errors-procedure-sqlite.ts';

if (testEngine !== 'sqlite') {
  process.stderr.write(
    'Skipped on PostgreSQL: the plan of the statement on SQLite, and the queue of its earlier version.\n',
  );
}

let stage: ErrorGroupStage;
let projectID: string;
let agentID: string;

beforeEach(async () => {
  stage = await ErrorGroupStage.open({ replicas: 2 });
  projectID = await stage.addProject();
  agentID = await stage.addAgent(projectID);
});

afterEach(() => stage.close());

/** Inserts errors as a version without groups does. */
async function insertUngrouped(texts: readonly string[]): Promise<void> {
  await insertErrors(
    stage.first.database,
    texts.map((error) => {
      stage.clock.advance(1);
      return {
        agent_id: agentID,
        id: stage.newID(),
        project_id: projectID,
        error,
        error_digest: hash('sha256', error, 'buffer'),
        epoch: 1,
        created_at: stage.clock.now(),
        occurrences: 2,
        last_seen_at: stage.clock.now(),
      };
    }),
  );
}

async function groupsOfErrors(): Promise<unknown[]> {
  const { rows } = await sql`select error, group_id from agent_errors order by id`.execute(
    stage.first.database.write,
  );
  return rows;
}

/** The id of a group by the current rules. */
const grouped = (error: string) => ({ error, group_id: groupIDOf(projectID, foldError(error)) });

async function expectExactCounts(): Promise<void> {
  await stage.first.counter.drain();
  const { stored, counted } = await stage.countAll();
  expect(stored).toEqual(counted);
  expect(stage.failures).toEqual([]);
}

describe('an error stored by a version without groups', () => {
  it('is grouped if it is in the queue', async () => {
    await insertUngrouped(['lost host 1', 'lost host 2', 'full']);
    await stage.first.counter.drain();
    expect(await groupsOfErrors()).toEqual(['lost host 1', 'lost host 2', 'full'].map(grouped));
    await expectExactCounts();
  });

  it('is grouped by the job if it is older than the queue', async () => {
    const texts = Array.from({ length: 1_100 }, (_, index) => `fault ${index}`);
    await insertUngrouped(texts);
    await forgetQueue();
    await Promise.all(stage.replicas.map(({ counter }) => counter.groupAll()));
    await stage.first.counter.groupAll();
    expect(await groupsOfErrors()).toEqual(texts.map(grouped));
    await expectExactCounts();
    const { rows } =
      await sql`select first_seen_at, last_seen_at, regressed_at from agent_error_groups`.execute(
        stage.first.database.write,
      );
    expect(rows).toEqual([
      {
        first_seen_at: stage.clock.now() - 1_099,
        last_seen_at: stage.clock.now(),
        regressed_at: null,
      },
    ]);
  });
});

describe('an error grouped by other rules', () => {
  it('is grouped again, even if an older version still stores errors by its rules', async () => {
    await stage.report(agentID, projectID, ['lost host 1', 'full']);
    await stage.first.counter.groupAll();
    await expectExactCounts();
    await nameGroupsOfOtherRules();
    await stage.first.counter.drain();
    await stage.first.counter.groupAll();
    expect(await groupsOfErrors()).toEqual(['lost host 1', 'full'].map(grouped));
    await expectExactCounts();
  });

  it('is grouped again, although a job by other rules has looked at it and was not done', async () => {
    await stage.report(agentID, projectID, ['lost host 1', 'full']);
    await expectExactCounts();
    await nameGroupsOfOtherRules();
    const { write } = stage.first.database;
    const place =
      testEngine === 'sqlite'
        ? sql`last_place = (select max(place) from agent_error_rows)`
        : sql`last_project_id = ${projectID}, last_id = (select id from agent_errors order by id desc limit 1)`;
    await sql`update agent_error_grouping set is_done = 0, fold_version = 0, ${place}`.execute(write);
    await stage.first.counter.groupAll();
    expect(await groupsOfErrors()).toEqual(['lost host 1', 'full'].map(grouped));
    await expectExactCounts();
  });
});

it.runIf(testEngine === 'postgres')('locks errors before their groups, as the counter does', async () => {
  await stage.report(agentID, projectID, ['lost host 1', 'full']);
  await expectExactCounts();
  const { write } = stage.first.database;
  await sql`update agent_error_groups set fold_version = 0`.execute(write);
  await nameGroupsOfOtherRules();
  const session = await openPostgresSession(stage.directory);
  await session.query('begin');
  await session.query('select id from agent_errors for update');
  const grouping = stage.first.counter.groupAll();
  await session.waitForBlocked('agent_errors', 1);
  expect(await session.query('select id from agent_error_groups for update nowait')).toHaveLength(2);
  await session.query('commit');
  await session.end();
  await grouping;
  await expectExactCounts();
});

it.runIf(testEngine === 'sqlite')('reads the errors of a portion and no others', async () => {
  const { rows } = await sql<{ detail: string }>`
    explain query plan ${sql.raw(selectPortionSql.replace('?1', '500'))}`.execute(stage.first.database.read);
  const details = rows.map(({ detail }) => detail);
  expect(details).toContain('SEARCH agent_error_rows USING INTEGER PRIMARY KEY (rowid>?)');
  expect(details.filter((detail) => detail.includes('ORDER BY'))).toEqual([]);
});

describe('grouping in the background', () => {
  let closing: AbortController;
  beforeEach(() => {
    closing = new AbortController();
  });
  const optionsOf = (onFailure: (error: unknown) => void) => ({
    database: stage.first.database,
    engine: createCountingEngine(stage.first.database),
    clock: stage.clock.now,
    monotonic: () => performance.now(),
    closing: closing.signal,
    onFailure,
    intervalMilliseconds: 5,
    retryMilliseconds: 5,
  });

  it('continues after the database has failed', async () => {
    const { write } = stage.first.database;
    await insertUngrouped(['lost host 1']);
    await forgetQueue();
    await sql`alter table agent_error_grouping rename to grouping_away`.execute(write);
    const failed = withResolvers<unknown>();
    const counter = new ErrorGroupCounter(optionsOf(failed.resolve));
    counter.start();
    expect(String(await failed.promise)).toContain('agent_error_grouping');
    await sql`alter table grouping_away rename to agent_error_grouping`.execute(write);
    await eventually(async () => expect(await groupsOfErrors()).toEqual([grouped('lost host 1')]));
    closing.abort();
    await counter.close();
  });

  it('does not keep errors from being counted', async () => {
    class BusyCounter extends ErrorGroupCounter {
      override groupAll(): Promise<void> {
        return new Promise(() => undefined);
      }
    }
    const counter = new BusyCounter(optionsOf((error) => stage.failures.push(error)));
    counter.start();
    for (const error of ['full', 'lost host 1']) {
      await stage.report(agentID, projectID, [error]);
      await eventually(async () => {
        const { stored, counted } = await stage.countAll();
        expect(counted).toEqual(stored);
      });
    }
    closing.abort();
    expect(stage.failures).toEqual([]);
  });
});

describe.skipIf(testEngine !== 'sqlite')('errors that the version before has stored', () => {
  it('are counted from a row of the queue for each of them', async () => {
    const [one, other] = await stage.report(agentID, projectID, ['full', 'lost host 1']);
    await stage.report(agentID, projectID, ['full again']);
    if (one?.kind !== 'created' || other?.kind !== 'created') throw new Error('both are new');
    const { write } = stage.first.database;
    await sql`delete from agent_error_changes where key = 1`.execute(write);
    for (const { id } of [one, other]) {
      const place = placeOfID(id)?.place;
      await sql`
        insert into agent_error_changes
          (kind, group_key, agent_key, epoch, place, opened, dismissed, occurrences, seen_at)
        select ${errorChangeKinds.created}, error_group, agent_key, epoch, place, 1, 0, 1, last_seen_at
        from agent_error_rows where place = ${place}`.execute(write);
    }
    await stage.first.counter.drain();
    const { stored, counted } = await stage.countAll();
    expect(stored).toEqual(counted);
    expect(stored).toMatchObject({ groups: [{}, {}, {}] });
  });
});

/** Makes these errors look older than the migration. */
async function forgetQueue(): Promise<void> {
  const { write } = stage.first.database;
  await sql`delete from agent_error_changes`.execute(write);
  await sql`update agent_error_grouping set is_done = 0, fold_version = 0`.execute(write);
}

async function nameGroupsOfOtherRules(): Promise<void> {
  const { write } = stage.first.database;
  if (testEngine === 'sqlite') {
    await sql`
      insert into agent_error_groups (id, project_id, pattern, example, fold_version, first_seen_at, last_seen_at)
      values (${stage.newID()}, ${projectID}, 'other', 'other', 0, 0, 0)`.execute(write);
    await sql`update agent_error_rows set error_group = (select max(key) from agent_error_groups)`.execute(
      write,
    );
  } else {
    await sql`update ${sql.table(errorTableOf(stage.first.database))} set group_id = ${stage.newID()}`.execute(
      write,
    );
  }
}
