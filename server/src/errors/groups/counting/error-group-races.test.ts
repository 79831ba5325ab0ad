import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countingPartitionOf } from '../../../foundation/database/counting-partition.ts';
import { openPostgresSession } from '../../../testing/postgres/postgres-session.ts';
import { ErrorGroupStage } from '../../../testing/stages/error-group-stage.ts';
import { testEngine } from '../../../testing/test-database.ts';
import { addRepeats } from '../../reporting/repeat-store.ts';
import { countPortionOnPostgres } from './count-store-postgres.ts';

if (testEngine !== 'postgres') {
  process.stderr.write('Skipped on SQLite: it has a single writer, so that these races cannot happen.\n');
}

let stage: ErrorGroupStage;

beforeAll(async () => {
  stage = await ErrorGroupStage.open({ replicas: 3, maxChanges: 25 });
});

afterAll(() => stage.close());

const times = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('counts of groups', () => {
  it('are exact after concurrent reports, dismissals, configurations, repeats, deletions and counting', async () => {
    const projectID = await stage.addProject();
    const agents: string[] = [];
    for (const _ of times(4)) agents.push(await stage.addAgent(projectID));
    const stored: { agentID: string; id: string }[] = [];
    const writing = agents.flatMap((agentID, number) =>
      times(2).map(async (copy) => {
        const replica = stage.replica(number + copy);
        for (const round of times(12)) {
          const texts = ['no route to host 1', `no route to host ${round}`, 'no space left'];
          for (const outcome of await stage.report(agentID, projectID, texts, replica)) {
            if (outcome.kind === 'created') stored.push({ agentID, id: outcome.id });
          }
          const one = stored[(round * 7 + number) % stored.length];
          if (one !== undefined && round % 3 === 0) await stage.dismiss(one.agentID, one.id, replica);
          const other = stored[(round * 5 + number) % stored.length];
          if (other !== undefined && round % 4 === 0) {
            const row = await replica.errors.find(other.id);
            if (row !== undefined) await replica.errors.reopen(row);
          }
          if (other !== undefined && round % 5 === 0) {
            const { write, engine } = replica.database;
            await addRepeats(write, engine, [{ ...other, count: 2, lastSeenAt: stage.clock.now() }]);
          }
          if (round % 4 === copy) await stage.configure(agentID, replica);
          if (round === 10 && number === 0) await replica.errors.deleteOfAgents([agentID], 3);
        }
      }),
    );
    let isWriting = true;
    const counting = stage.replicas.map(async ({ counter }) => {
      while (isWriting) await counter.catchUp();
    });
    await Promise.all(writing);
    isWriting = false;
    await Promise.all(counting);
    await stage.first.counter.drain();
    const { stored: there, counted } = await stage.countAll();
    expect(there).toEqual(counted);
    expect(stage.failures).toEqual([]);
  });

  // SQLite has a single writer, so that no error is stored with an epoch that has ended.
  it.runIf(testEngine === 'postgres')(
    'are exact if an error is stored while its agent gets another configuration',
    async () => {
      const projectID = await stage.addProject();
      const agentID = await stage.addAgent(projectID);
      const { database } = stage.first;
      if (database.engine !== 'postgres') throw new Error('these tests are of PostgreSQL');
      const slow = await database.postgres.connect();
      try {
        await slow.query('begin', []);
        await slow.query(
          `insert into agent_errors (
             agent_id, id, project_id, error, error_digest, epoch, created_at, occurrences, last_seen_at
           ) values ($1, $2, $3, 'late', '\\x01', 1, 0, 1, 0)`,
          [agentID, stage.newID(), projectID],
        );
        await stage.configure(agentID);
        await stage.report(agentID, projectID, ['late 1']);
        await stage.first.counter.drain();
        await slow.query('commit', []);
      } finally {
        slow.release();
      }
      await stage.first.counter.drain();
      const { stored, counted } = await stage.countAll();
      expect(stored).toEqual(counted);
      const { rows } = await sql`
        select count(*)::integer as superseded from agent_errors
        where agent_id = ${agentID} and superseded_at is not null`.execute(database.read);
      expect(rows).toEqual([{ superseded: 1 }]);
    },
  );

  // On SQLite a procedure is one transaction of the writer's thread (sqlite-threads.test.ts).
  it.runIf(testEngine === 'postgres')(
    'are exact where whoever counts ends in the middle of it, and another one goes on',
    async () => {
      const projectID = await stage.addProject();
      const agentID = await stage.addAgent(projectID);
      await stage.report(agentID, projectID, ['lost 1', 'lost 2', 'full']);
      await stage.configure(agentID);
      const { database } = stage.first;
      if (database.engine !== 'postgres') throw new Error('these tests are of PostgreSQL');
      const ends = countPortionOnPostgres(
        database,
        {
          now: stage.clock.now(),
          heardSince: 0,
          maxChanges: 2,
          partitions: [countingPartitionOf(projectID)],
        },
        { isRead: true, onCounted: async () => Promise.reject(new Error('killed')) },
      );
      await expect(ends).rejects.toThrow('killed');
      await stage.replica(1).counter.drain();
      const { stored, counted } = await stage.countAll();
      expect(stored).toEqual(counted);
    },
  );

  it.runIf(testEngine === 'postgres')(
    'are exact where three replicas count several projects at once, and are killed meanwhile',
    async () => {
      const projects = [await stage.addProject(), await stage.addProject(), await stage.addProject()];
      const agents: { readonly id: string; readonly projectID: string }[] = [];
      for (const projectID of [...projects, ...projects]) {
        agents.push({ id: await stage.addAgent(projectID), projectID });
      }
      let isWriting = true;
      let kills = 0;
      const killer = await openPostgresSession(stage.directory);
      const killing = (async () => {
        while (isWriting || kills < 5) {
          // Only who counts locks a row of this table.
          const rows = await killer.query(`
            select pg_terminate_backend(pid) from pg_locks
            where database = (select oid from pg_database where datname = current_database())
              and relation = 'counting_partitions'::regclass and mode = 'RowShareLock' limit 1`);
          kills += rows.length;
        }
      })();
      const counting = stage.replicas.map(async ({ counter }, number) => {
        while (isWriting || kills < 5)
          await counter.catchUp(number === 0 ? undefined : projects[number]).catch(() => undefined);
      });
      await Promise.all(
        agents.map(async ({ id, projectID }, number) => {
          for (const round of times(12)) {
            const texts = [
              'no route to host 1',
              `no space on disk ${round}`,
              `bad key ${'abcdefghijkl'.charAt(round)}`,
            ];
            const [first] = await stage.report(id, projectID, texts);
            if (first?.kind === 'created' && round % 3 === 0) await stage.dismiss(id, first.id);
            if (round % 4 === number % 4) await stage.configure(id);
          }
        }),
      );
      isWriting = false;
      await Promise.all([killing, ...counting]);
      await killer.end();
      await stage.replica(1).counter.drain();
      const { stored, counted } = await stage.countAll();
      expect(stored).toEqual(counted);
      stage.failures.length = 0;
    },
  );

  it.runIf(testEngine === 'postgres')(
    'are exact after agents with more errors of an earlier configuration than a portion marks',
    async () => {
      const projectID = await stage.addProject();
      const agents = [await stage.addAgent(projectID), await stage.addAgent(projectID)];
      for (const agentID of agents) {
        const texts = times(30).map((number) => `bad key ${'ab'.charAt(number % 2)}${'x'.repeat(number)}`);
        await stage.report(agentID, projectID, texts);
      }
      await stage.first.counter.drain();
      for (const agentID of agents) await stage.configure(agentID);
      const { database } = stage.first;
      if (database.engine !== 'postgres') throw new Error('these tests are of PostgreSQL');
      const countOnce = () =>
        countPortionOnPostgres(
          database,
          {
            now: stage.clock.now(),
            heardSince: 0,
            maxChanges: 26,
            partitions: [countingPartitionOf(projectID)],
          },
          { isRead: true },
        );
      const superseded: unknown[] = [];
      for (let isDrained = false; !isDrained; ) {
        const portion = await countOnce();
        isDrained = portion?.isDrained ?? false;
        const { rows } = await sql`
          select count(*)::integer as errors from agent_errors
          where project_id = ${projectID} and superseded_at is not null`.execute(database.write);
        superseded.push(...rows);
      }
      expect(superseded).toEqual([13, 26, 39, 52, 60].map((errors) => ({ errors })));
      await stage.first.counter.drain();
      const { stored, counted } = await stage.countAll();
      expect(stored).toEqual(counted);
    },
  );

  it.runIf(testEngine === 'postgres')('are taken in smaller portions after a failure', async () => {
    const projectID = await stage.addProject();
    for (const _ of times(20)) await stage.report(await stage.addAgent(projectID), projectID, ['disk full']);
    const { write } = stage.first.database;
    await sql`create function refuse_many_pairs() returns trigger language plpgsql as $$
      begin
        if (select count(*) from added) > 6 then raise exception 'too many pairs'; end if;
        return null;
      end $$`.execute(write);
    await sql`create trigger refuse_many_pairs after insert on agent_error_group_agents
      referencing new table as added for each statement execute function refuse_many_pairs()`.execute(write);
    const outcomes: string[] = [];
    for (const _ of times(6)) {
      await stage.first.counter.drain().then(
        () => outcomes.push('counted'),
        () => outcomes.push('failed'),
      );
    }
    await sql`drop function refuse_many_pairs cascade`.execute(write);
    expect(outcomes.slice(0, 2)).toEqual(['failed', 'failed']);
    expect(outcomes.at(-1)).toBe('counted');
    const { stored, counted } = await stage.countAll();
    expect(stored).toEqual(counted);
  });
});
