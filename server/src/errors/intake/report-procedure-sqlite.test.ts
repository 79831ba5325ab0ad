import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foldError } from '@muster/faults';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNewID, timeOfID } from '../../foundation/clock.ts';
import type { SqliteDatabase } from '../../foundation/database/database.ts';
import { migrate } from '../../foundation/database/migrate.ts';
import { loadSqliteDriver } from '../../foundation/database/sqlite/load-driver.ts';
import { openSqlite, sqliteFileName } from '../../foundation/database/sqlite/open-sqlite.ts';
import type { SqliteRow } from '../../foundation/database/sqlite/sqlite-messages.ts';
import type { SqliteStatements } from '../../foundation/database/sqlite/sqlite-procedure.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { createSqliteAgentErrorStore } from '../agent-error-store-sqlite.ts';
import { unpackCreatedErrors } from '../groups/counting/created-errors.ts';
import { errorChangeKinds } from '../groups/counting/error-changes.ts';
import { groupIDOf } from '../groups/identity/error-group.ts';
import type { NewErrorLimits } from '../limits/new-error-limits.ts';
import type { Report } from '../report.ts';
import { packReports, unpackOutcomes } from './report-batch-sqlite.ts';
import { createReportProcedure } from './report-procedure-sqlite.ts';
import { createSqliteReportStore } from './report-store-sqlite.ts';

const projectID = '019b76da-a800-7000-8000-000000000001';
const agentID = '019b76da-a800-7000-8000-000000000002';
const otherAgentID = '019b76da-a800-7000-8000-000000000003';
const configID = '019b76da-a800-7abc-9def-0123456789ab';
const noLimits = { openPerAgent: 0, newPerAgentPerMinute: 0, newPerProjectPerSecond: 0 };
const user = { kind: 'user', id: projectID } as const;

let directory: string;
let database: SqliteDatabase;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muster-procedure-'));
  database = await openSqlite(directory);
  await migrate(database);
  await database.sqlite.rows({
    sql: 'insert into projects (id, name, created_at, updated_at) values (?, ?, 0, 0)',
    rows: [[projectID, 'project']],
  });
  await database.sqlite.rows({
    sql: `insert into agents (id, project_id, machine_id, name, flags, metadata, tags, epoch, config_id, created_at, updated_at, last_seen_at)
      values (?1, ?2, ?1, 'agent', '[]', '{}', '[]', 1, ?3, 0, 0, 0)`,
    rows: [
      [agentID, projectID, configID],
      [otherAgentID, projectID, null],
    ],
  });
});

afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

function report(number: number, error: string): Report {
  const id = `019b76da-a800-7000-80${number}-100000000000`;
  return { id, agentID, projectID, error, createdAt: timeOfID(id), generation: 0 };
}

async function stored(): Promise<unknown[]> {
  return database.read.selectFrom('agent_errors').select(['id', 'error']).orderBy('id').execute();
}

async function storedTexts(): Promise<unknown[]> {
  const rows = await database.read.selectFrom('agent_errors').select('error').orderBy('id').execute();
  return rows.map(({ error }) => error);
}

describe('a batch of reports', () => {
  it('sees earlier reports of the same batch', async () => {
    const [one, other, again] = [report(10, 'one'), report(11, 'other'), report(12, 'one')];
    expect(await createSqliteReportStore(database.sqlite, noLimits)([one, other, again])).toEqual([
      { kind: 'created', id: one.id, createdAt: one.createdAt },
      { kind: 'created', id: other.id, createdAt: other.createdAt },
      { kind: 'ignored', id: one.id, createdAt: one.createdAt },
    ]);
    expect(await storedTexts()).toEqual(['one', 'other']);
  });

  it('stores each text once, however many statements it takes', async () => {
    const reports = Array.from({ length: 75 }, (_, index) => report(10 + index, `text ${index % 45}`));
    expect(await createSqliteReportStore(database.sqlite, noLimits)(reports)).toEqual(
      reports.map(({ createdAt }, index) => {
        const kind = index < 45 ? 'created' : 'ignored';
        return { kind, id: reports[index % 45]?.id, createdAt };
      }),
    );
    expect(await stored()).toEqual(reports.slice(0, 45).map(({ id, error }) => ({ id, error })));
  });

  it('finds a repeat at each of its positions, also between new errors and those of other agents', async () => {
    const store = createSqliteReportStore(database.sqlite, noLimits);
    const open = Array.from({ length: 75 }, (_, index) => report(10 + index, `text ${index}`));
    await store(open);
    for (let position = 0; position < open.length; position += 1) {
      const batch = open.map(({ error }, index): Report => {
        const id = `019b76da-a80${position < 40 ? 1 : 2}-7000-80${10 + (position % 40)}-1000000000${10 + index}`;
        const other = { ...report(10, error), id, createdAt: timeOfID(id), agentID: otherAgentID };
        return index === position ? { ...other, agentID } : { ...other, error: `${error} of ${position}` };
      });
      const outcomes = await store(batch);
      expect(outcomes[position]).toEqual({
        kind: 'ignored',
        id: open[position]?.id,
        createdAt: open[position]?.createdAt,
      });
      expect(outcomes.filter(({ kind }) => kind === 'created')).toHaveLength(74);
    }
  });

  it('stores an error between others although its place is taken', async () => {
    const store = createSqliteReportStore(database.sqlite, noLimits);
    const before = report(50, 'before');
    await store([before]);
    const late = { ...report(50, 'late'), agentID: otherAgentID };
    const reports = [report(52, 'one'), late, report(53, 'two')];
    const outcomes = await store(reports);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['created', 'created', 'created']);
    expect(await storedTexts()).toEqual(['before', 'late', 'one', 'two']);
  });

  it('appends one row to the queue of changes for all its errors', async () => {
    const reports = Array.from({ length: 40 }, (_, index) => report(10 + index, `text ${index}`));
    await createSqliteReportStore(database.sqlite, noLimits)([...reports, report(60, 'text 1')]);
    const { rows } = await database.sqlite.reader.execute({
      sql: 'select kind, errors from agent_error_changes',
      parameters: [],
    });
    expect(rows.map(({ kind }) => kind)).toEqual([errorChangeKinds.createdTogether]);
    const [{ errors } = { errors: null }] = rows;
    const listed = errors instanceof Uint8Array ? unpackCreatedErrors(errors) : [];
    const { rows: inserted } = await database.sqlite.reader.execute({
      sql: `select cast(place as text) as place, error_group, agent_key, epoch, last_seen_at
        from agent_error_rows order by agent_error_rows.place`,
      parameters: [],
    });
    expect(listed).toEqual(
      inserted.map(({ place, error_group: groupKey, agent_key: agentKey, epoch, last_seen_at: seenAt }) => ({
        place: BigInt(String(place)),
        groupKey,
        agentKey,
        epoch,
        isOpen: true,
        seenAt,
      })),
    );
  });

  it('counts its own reports towards the limits', async () => {
    const store = createSqliteReportStore(database.sqlite, { ...noLimits, openPerAgent: 1 });
    const kinds = (await store([report(10, 'one'), report(11, 'other')])).map(({ kind }) => kind);
    expect(kinds).toEqual(['created', 'limited']);
    expect(await storedTexts()).toEqual(['one']);
  });

  it('is stored completely or not at all, and does not count if it is not stored', async () => {
    await database.sqlite.rows({
      sql: `create trigger fail before insert on agent_error_rows when new.error = 'bad'
        begin select raise(abort, 'a bad one'); end`,
      rows: [[]],
    });
    const limits = { openPerAgent: 2, newPerAgentPerMinute: 2, newPerProjectPerSecond: 2 };
    const store = createSqliteReportStore(database.sqlite, limits);
    await expect(store([report(10, 'one'), report(11, 'bad')])).rejects.toThrow('a bad one');
    expect(await storedTexts()).toEqual([]);
    const kinds = async (...reports: Report[]) => (await store(reports)).map(({ kind }) => kind);
    expect(await kinds(report(12, 'one'), report(13, 'two'), report(14, 'three'))).toEqual([
      'created',
      'created',
      'limited',
    ]);
  });

  it('is accepted after a first batch that failed before it began', async () => {
    const rename = (from: string, to: string) =>
      database.sqlite.rows({ sql: `alter table ${from} rename to ${to}`, rows: [[]] });
    const store = createSqliteReportStore(database.sqlite, noLimits);
    await rename('agent_error_rows', 'away');
    await expect(store([report(10, 'one')])).rejects.toThrow('no such table');
    await rename('away', 'agent_error_rows');
    expect(await store([report(11, 'one')])).toMatchObject([{ kind: 'created' }]);
  });

  it('stores all fields of an error', async () => {
    const one = report(10, 'one');
    await createSqliteReportStore(database.sqlite, noLimits)([one]);
    expect(await createSqliteAgentErrorStore(database).find(one.id)).toEqual({
      agent_id: agentID,
      id: one.id,
      project_id: projectID,
      error: 'one',
      epoch: 1,
      agent_epoch: 1,
      config_id: configID,
      created_at: one.createdAt,
      occurrences: 1,
      last_seen_at: one.createdAt,
      dismissed_at: null,
      dismiss_reason: null,
      dismissed_by_kind: null,
      dismissed_by_id: null,
      superseded_at: null,
      is_muted: null,
      group_id: groupIDOf(projectID, foldError('one')),
    });
    expect(
      await database.sqlite.reader.execute({
        sql: "select printf('%012x', digest) as digest from agent_error_rows",
        parameters: [],
      }),
    ).toMatchObject({ rows: [{ digest: hash('sha256', 'one').slice(0, 12) }] });
  });
});

describe('the limits, counted in memory', () => {
  const limits = { openPerAgent: 2, newPerAgentPerMinute: 0, newPerProjectPerSecond: 0 };
  const kindsOf = async (store: ReturnType<typeof createSqliteReportStore>, ...reports: Report[]) =>
    (await store(reports)).map(({ kind }) => kind);

  it('free a place when an error is dismissed, but not if that transaction is rolled back', async () => {
    const store = createSqliteReportStore(database.sqlite, limits);
    const errors = createSqliteAgentErrorStore(database);
    await kindsOf(store, report(10, 'one'), report(11, 'two'));
    const row = { project_id: projectID, id: report(10, '').id };
    const undone = errors.dismiss(row, { at: 1, reason: 'x', by: user }, async () => {
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await kindsOf(store, report(12, 'three'))).toEqual(['limited']);
    expect(await errors.dismiss(row, { at: 1, reason: 'x', by: user })).toBe(true);
    expect(await kindsOf(store, report(13, 'four'), report(14, 'five'))).toEqual(['created', 'limited']);
  });

  it('count a reopened error', async () => {
    const store = createSqliteReportStore(database.sqlite, limits);
    const errors = createSqliteAgentErrorStore(database);
    const first = report(10, 'one');
    await kindsOf(store, first, report(11, 'two'));
    await errors.dismiss({ project_id: projectID, id: first.id }, { at: 1, reason: 'x', by: user });
    const row = await errors.find(first.id);
    expect(row && (await errors.reopen(row))).toEqual({ kind: 'reopened' });
    expect(await kindsOf(store, report(12, 'three'))).toEqual(['limited']);
  });

  it('count errors that were stored before the start, dismissed or open', async () => {
    const reports = [report(10, 'one'), report(11, 'two')];
    const before = createSqliteReportStore(database.sqlite, noLimits);
    await before(reports);
    const errors = createSqliteAgentErrorStore(database);
    await errors.dismiss({ project_id: projectID, id: report(10, '').id }, { at: 1, reason: 'x', by: user });
    await database.close();
    database = await openSqlite(directory);
    const full = { openPerAgent: 0, newPerAgentPerMinute: 3, newPerProjectPerSecond: 0 };
    const store = createSqliteReportStore(database.sqlite, full);
    expect(await kindsOf(store, report(12, 'three'), report(13, 'four'))).toEqual(['created', 'limited']);
    const second = createSqliteReportStore(database.sqlite, { ...noLimits, newPerProjectPerSecond: 3 });
    expect(await kindsOf(second, report(14, 'five'))).toEqual(['limited']);
  });

  it.each([
    ['another configuration', { epoch: 2 }, 'created'],
    ['its deletion', { deleted_at: 1 }, 'agent_deleted'],
  ])('forget an agent with %s', async (_, change, kind) => {
    const store = createSqliteReportStore(database.sqlite, noLimits);
    expect(await kindsOf(store, report(10, 'one'))).toEqual(['created']);
    await database.write.updateTable('agents').set(change).where('id', '=', agentID).execute();
    expect(await kindsOf(store, report(11, 'one'))).toEqual([kind]);
  });

  it('do not accept an agent of another project', async () => {
    const store = createSqliteReportStore(database.sqlite, noLimits);
    await kindsOf(store, report(10, 'one'));
    expect(await kindsOf(store, { ...report(11, 'one'), projectID: otherAgentID })).toEqual([
      'agent_not_found',
    ]);
  });
});

describe('an id whose place is taken by another error', () => {
  it('is replaced by the next free one, and keeps the order of lists', async () => {
    const store = createSqliteReportStore(database.sqlite, noLimits);
    const before = report(10, 'before');
    const clash = { ...report(10, 'after a restart'), id: `${before.id.slice(0, -1)}f` };
    const outcomes = await store([before, report(11, 'neighbour'), clash]);
    expect(outcomes[2]).toEqual({
      kind: 'created',
      id: '019b76da-a800-7000-8010-14000000000f',
      createdAt: before.createdAt,
    });
    const page = await createSqliteAgentErrorStore(database).listOfAgent(
      database.read,
      agentID,
      { dismissed: undefined },
      { limit: 10, before: undefined },
    );
    expect(page.map(({ error }) => error)).toEqual(['neighbour', 'after a restart', 'before']);
    const ids = page.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort().reverse());
    expect(ids).toContain(outcomes[2]?.kind === 'created' ? outcomes[2].id : '');
  });

  it('looks for the end of a long run once, however often a site wants the same places', async () => {
    const { store, close, countStatements } = procedureWith({});
    const size = 100;
    const wanted = (batch: number) =>
      Array.from({ length: size }, (_, place): Report => {
        const [high, low] = [0x8010 + Math.floor(place / 64), (place % 64) * 4];
        const random = batch.toString(16).padStart(10, '0');
        const id = `019b76da-a800-7000-${high.toString(16)}-${low.toString(16).padStart(2, '0')}${random}`;
        return { id, agentID, projectID, error: `${batch} ${place}`, createdAt: timeOfID(id), generation: 0 };
      });
    store(report(99, 'later than all of them'));
    for (let batch = 0; batch < 20; batch += 1) store(...wanted(batch));
    const before = countStatements();
    const outcomes = store(...wanted(20));
    expect(outcomes.filter(({ kind }) => kind === 'created')).toHaveLength(size);
    expect(countStatements() - before).toBeLessThan(6 * size);
    expect(await storedTexts()).toHaveLength(21 * size + 1);
    close();
  });

  it('continues in the next millisecond if the place is full', async () => {
    const clock = createTestClock();
    const newID = createNewID(clock.now, (size) => new Uint8Array(size));
    const ids = Array.from({ length: 2 ** 19 + 2 }, newID);
    const [last = '', first = ''] = ids.slice(-3, -1);
    expect([timeOfID(last), timeOfID(first)]).toEqual([clock.now(), clock.now() + 1]);
    const store = createSqliteReportStore(database.sqlite, noLimits);
    const reports = [last, first].map((id) => ({ ...report(10, id), id, createdAt: timeOfID(id) }));
    await store(reports);
    expect(await stored()).toEqual([
      { id: last, error: last },
      { id: first, error: first },
    ]);
  });
});

/** The procedure on a connection of the test. */
function procedureWith(options: Parameters<typeof createReportProcedure>[0]) {
  const { DatabaseSync } = loadSqliteDriver();
  const connection = new DatabaseSync(join(directory, sqliteFileName));
  let count = 0;
  const prepare = (sql: string) => {
    count += 1;
    return connection.prepare(sql);
  };
  const statements: SqliteStatements = {
    get: (sql, ...parameters) => prepare(sql).get(...parameters) as SqliteRow | undefined, // a row of named columns
    all: (sql, ...parameters) => prepare(sql).all(...parameters) as SqliteRow[], // rows of named columns
    run: (sql, ...parameters) => {
      const statement = prepare(sql);
      // It also returns the newest rowid, which exceeds what a number holds.
      statement.setReadBigInts(true);
      return Number(statement.run(...parameters).changes);
    },
  };
  const procedure = createReportProcedure(options);
  const storeWithin = (limits: NewErrorLimits, reports: readonly Report[]) =>
    unpackOutcomes(procedure.run(statements, packReports(limits, reports)), reports);
  return {
    storeWithin,
    store: (...reports: Report[]) => storeWithin(noLimits, reports),
    countStatements: () => count,
    close: () => connection.close(),
  };
}

describe('the agents that are remembered', () => {
  /** Minutes of reports of two agents, a few seconds apart, most of them new. */
  const reports = Array.from({ length: 120 }, (_, number): Report => {
    const milliseconds = 0x019b76daa800 + number * 1_700;
    const time = milliseconds.toString(16).padStart(12, '0');
    const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
    const agent = number % 3 === 0 ? otherAgentID : agentID;
    return { ...report(10, `text ${number % 50}`), id, agentID: agent, createdAt: timeOfID(id) };
  });
  const limits = { openPerAgent: 40, newPerAgentPerMinute: 12, newPerProjectPerSecond: 0 };

  it('may be fewer than report: their errors are counted anew, with the same outcome', async () => {
    const count = async (maxAgents: number) => {
      const { storeWithin, close } = procedureWith({ maxAgents });
      const kinds = reports.map((one) => storeWithin(limits, [one])[0]?.kind);
      close();
      await database.sqlite.rows({ sql: 'delete from agent_error_rows', rows: [[]] });
      return kinds;
    };
    const outcomes = await count(2);
    expect(new Set(outcomes)).toEqual(new Set(['created', 'ignored', 'limited']));
    expect(await count(1)).toEqual(outcomes);
  });

  it('keep their configuration, or that they have none', async () => {
    const { store, close } = procedureWith({ maxAgents: 1 });
    for (const one of reports.slice(0, 6)) store(one);
    close();
    const rows = await database.read.selectFrom('agent_errors').select(['agent_id', 'config_id']).execute();
    const configs = new Set(rows.map(({ agent_id, config_id }) => `${agent_id} ${config_id}`));
    expect(configs).toEqual(new Set([`${agentID} ${configID}`, `${otherAgentID} null`]));
  });
});

describe('texts with the same digest', () => {
  const clashing = (number: number, error: string) => ({
    ...report(number, error),
    shortDigest: new Uint32Array(4),
  });

  it('are two errors, because the texts are compared', async () => {
    const { store, close } = procedureWith({});
    const kinds = store(clashing(10, 'one'), clashing(11, 'two'), clashing(12, 'one'), clashing(13, 'two'));
    expect(kinds).toEqual([
      { kind: 'created', id: report(10, '').id, createdAt: report(10, '').createdAt },
      { kind: 'created', id: report(11, '').id, createdAt: report(11, '').createdAt },
      { kind: 'ignored', id: report(10, '').id, createdAt: report(10, '').createdAt },
      { kind: 'ignored', id: report(11, '').id, createdAt: report(11, '').createdAt },
    ]);
    close();
  });

  it('do not prevent each other from being reopened, but equal texts do', async () => {
    const { store, close } = procedureWith({});
    const errors = createSqliteAgentErrorStore(database);
    const [one, again] = [clashing(10, 'one'), clashing(12, 'one')];
    store(one, clashing(11, 'two'));
    await errors.dismiss({ project_id: projectID, id: one.id }, { at: 1, reason: 'x', by: user });
    const row = await errors.find(one.id);
    expect(row && (await errors.reopen(row))).toEqual({ kind: 'reopened' });
    expect(row && (await errors.reopen(row))).toEqual({ kind: 'not_dismissed' });
    await errors.dismiss({ project_id: projectID, id: one.id }, { at: 1, reason: 'x', by: user });
    store(again);
    expect(row && (await errors.reopen(row))).toEqual({ kind: 'equal_open', id: again.id });
    close();
  });
});
