import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { nothingNoted } from '../../../foundation/counted-portion.ts';
import { countingPartitionOf } from '../../../foundation/database/counting-partition.ts';
import { withResolvers } from '../../../foundation/with-resolvers.ts';
import { eventually } from '../../../testing/eventually.ts';
import { countStatements } from '../../../testing/rows/count-statements.ts';
import { ErrorGroupStage } from '../../../testing/stages/error-group-stage.ts';
import { countPortionOnPostgres, type OnCounted, readPartitions } from './count-store-postgres.ts';
import { createCountingEngine } from './create-counting-engine.ts';
import { ErrorGroupCounter } from './error-group-counter.ts';
import { QueueFloors } from './queue-floors.ts';

/** PostgreSQL only: SQLite has no partitions. */
describe('a partition of the changes that wait to be counted', () => {
  let stage: ErrorGroupStage;

  beforeAll(async () => {
    stage = await ErrorGroupStage.open();
  });

  afterAll(() => stage.close());

  function database() {
    const { database: opened } = stage.first;
    if (opened.engine !== 'postgres') throw new Error('this is about PostgreSQL');
    return opened;
  }

  async function stateOf(projectID: string) {
    return (await readPartitions(database()))[countingPartitionOf(projectID)];
  }

  function count(projectID: string, maxChanges: number, isRead = false) {
    const request = {
      now: stage.clock.now(),
      heardSince: 0,
      maxChanges,
      partitions: [countingPartitionOf(projectID)],
    };
    return countPortionOnPostgres(database(), request, { isRead });
  }

  async function addCounted() {
    const projectID = await stage.addProject();
    const agentID = await stage.addAgent(projectID);
    await stage.first.counter.drain();
    return { projectID, agentID };
  }

  /** Starts a counter for which a storm does not end. */
  function startCounter(onCounted: OnCounted) {
    const closing = new AbortController();
    const failures: string[] = [];
    const counter = new ErrorGroupCounter({
      database: database(),
      engine: createCountingEngine(database(), { onCounted }),
      clock: stage.clock.now,
      monotonic: () => 0,
      closing: closing.signal,
      intervalMilliseconds: 1,
      onFailure: (error) => failures.push(String(error)),
    });
    counter.start();
    return {
      async close() {
        closing.abort();
        await counter.close();
        return failures;
      },
    };
  }

  it('stores any number of new groups in one statement', async () => {
    const { projectID, agentID } = await addCounted();
    const statementsOf = async (...texts: readonly string[]) => {
      await stage.report(agentID, projectID, texts);
      const statements = countStatements();
      await count(projectID, 100);
      const sent = statements.count();
      vi.restoreAllMocks();
      return sent;
    };
    await statementsOf('no disk');
    expect(await statementsOf('no host', 'no route', 'no name')).toBe(await statementsOf('no memory'));
    const groups = await database()
      .write.selectFrom('agent_error_groups')
      .select(['pattern', 'example'])
      .where('project_id', '=', projectID)
      .orderBy('pattern')
      .execute();
    expect(groups).toEqual(
      ['no disk', 'no host', 'no memory', 'no name', 'no route'].map((text) => ({
        pattern: text,
        example: text,
      })),
    );
  });

  it('has all projects whose id ends with its digit', async () => {
    const projectID = await stage.addProject();
    await stage.report(await stage.addAgent(projectID), projectID, ['no space']);
    const waiting = (await readPartitions(database())).filter(({ hasChanges }) => hasChanges);
    expect(waiting.map(({ part }) => part.toString(16))).toEqual([projectID.at(-1)]);
    await stage.first.counter.drain();
  });

  it('is looked for by its key, however much waits in another one', async () => {
    const { postgres } = database();
    const projectID = await stage.addProject();
    await postgres.query(
      `insert into agent_error_changes (kind, project_id, agent_id, epoch, opened, dismissed, occurrences)
       select 0, '${projectID}', '${projectID}', 1, 1, 0, 1 from generate_series(1, 20000)`,
      [],
    );
    await postgres.query('analyze agent_error_changes', []);
    const sent = vi.spyOn(postgres, 'query');
    expect((await readPartitions(database())).filter(({ hasChanges }) => hasChanges)).toHaveLength(1);
    const [[statement, values] = ['', []]] = sent.mock.calls;
    sent.mockRestore();
    const plan = JSON.stringify(await postgres.query(`explain (format json) ${statement}`, values));
    expect(plan).toContain('agent_error_changes_pkey');
    await postgres.query('delete from agent_error_changes', []);
  });

  it('is looked for above what was counted, but never above what may still be committed', async () => {
    const { projectID, agentID } = await addCounted();
    const part = countingPartitionOf(projectID);
    const floors = new QueueFloors();
    const look = async () => (await readPartitions(database(), floors))[part];
    const late = await database().postgres.connect();
    await late.query('begin', []);
    await late.query(
      `insert into agent_errors (agent_id, id, project_id, error, error_digest, epoch, created_at, occurrences, last_seen_at)
       values ($1, $2, $3, 'late', '\\x01', 1, 0, 1, 0)`,
      [agentID, stage.newID(), projectID],
    );
    const [{ lateKey } = { lateKey: 0 }] = (
      await late.query<{ lateKey: number }>('select max(key) as "lateKey" from agent_error_changes', [])
    ).rows;
    await stage.report(agentID, projectID, ['no space', 'no route']);
    await count(projectID, 10);
    for (let looks = 0; looks < 6; looks += 1) expect(await look()).toMatchObject({ hasChanges: false });
    expect(floors.of(part)).toBeLessThan(lateKey);
    await late.query('commit', []);
    late.release();
    expect(await look()).toMatchObject({ hasChanges: true });
    await eventually(async () => {
      await look();
      expect(floors.of(part)).toBe(lateKey - 1);
    });
    await stage.first.counter.drain();
    await eventually(async () => {
      await look();
      expect(floors.of(part)).toBeGreaterThan(lateKey);
    });
    const { stored, counted } = await stage.countAll();
    expect(stored).toEqual(counted);
  });

  it('is looked for from the bottom now and then', () => {
    const floors = new QueueFloors();
    const lookOf = (lowest: number | null) => {
      const look = floors.beginLook();
      look.end({ lowestKeys: new Map([[3, lowest]]), lastKey: 90, oldest: 7, next: 7 });
      return look.floors[3];
    };
    expect([null, 80, 80, 95].map(lookOf)).toEqual([0, 0, 0, 79]);
    const later = Array.from({ length: 236 }, () => lookOf(null));
    expect([later.at(-2), later.at(-1)]).toEqual([90, 0]);
    lookOf(null);
    expect(floors.of(3)).toBe(90);
    for (let looks = 0; looks < 238; looks += 1) lookOf(null);
    expect([lookOf(20), floors.of(3)]).toEqual([0, 19]);
  });

  it('is counted up to when its last changes came that are counted, also while others wait', async () => {
    const { projectID, agentID } = await addCounted();
    await stage.report(
      agentID,
      projectID,
      ['a', 'b', 'c', 'd', 'e'].map((word) => `cannot ${word}`),
    );
    stage.clock.advance(1_000);
    const marked = stage.clock.now();
    const before = (await stateOf(projectID))?.countedAt;
    expect(await count(projectID, 2)).toMatchObject({
      isDrained: false,
      partitions: [{ countedAt: before }],
    });
    stage.clock.advance(1_000);
    await stage.report(
      agentID,
      projectID,
      ['f', 'g'].map((word) => `cannot ${word}`),
    );
    expect(await count(projectID, 2)).toMatchObject({
      isDrained: false,
      partitions: [{ countedAt: before }],
    });
    // What was there at the time of the mark, and the first of the later ones.
    expect(await count(projectID, 2)).toMatchObject({
      isDrained: false,
      partitions: [{ countedAt: marked }],
    });
    expect(await stateOf(projectID)).toMatchObject({ countedAt: marked, hasChanges: true });
    expect(await count(projectID, 2)).toMatchObject({
      isDrained: true,
      partitions: [{ countedAt: stage.clock.now() }],
    });
    expect(await stateOf(projectID)).toMatchObject({ countedAt: stage.clock.now(), hasChanges: false });
  });

  it('is left alone by all replicas for a second after a storm, but for reads', async () => {
    const { projectID, agentID } = await addCounted();
    const storm = Array.from({ length: 1_000 }, (_, number) => `disk ${number} is full`);
    await stage.report(agentID, projectID, storm);
    await count(projectID, 2_000);
    expect(await stateOf(projectID)).toMatchObject({ nextAt: stage.clock.now() + 1_000 });
    await stage.report(agentID, projectID, ['no route']);
    stage.clock.advance(500);
    await count(projectID, 2_000, true);
    expect(await stateOf(projectID)).toMatchObject({ nextAt: stage.clock.now() + 500, hasChanges: false });
    await stage.report(agentID, projectID, ['no space']);
    await count(projectID, 2_000);
    expect(await stateOf(projectID)).toMatchObject({ nextAt: 0 });
  });

  it('is counted up to the right time again after a replica whose clock was ahead', async () => {
    const { projectID, agentID } = await addCounted();
    await stage.report(agentID, projectID, ['no space']);
    const request = { heardSince: 0, maxChanges: 10, partitions: [countingPartitionOf(projectID)] };
    const ahead = stage.clock.now() + 3_600_000;
    await countPortionOnPostgres(database(), { ...request, now: ahead }, { isRead: false });
    expect(await stateOf(projectID)).toMatchObject({ countedAt: ahead });
    await stage.report(agentID, projectID, ['no route']);
    expect(await count(projectID, 10)).toMatchObject({
      isDrained: true,
      partitions: [{ countedAt: stage.clock.now() }],
    });
    expect(await stateOf(projectID)).toMatchObject({ countedAt: stage.clock.now() });
  });

  it('waits for no storm of other projects, in which portions take as long as they like', async () => {
    const storms = [await stage.addProject(), await stage.addProject(), await stage.addProject()];
    const calm = await stage.addProject();
    const ofStorms = new Set(storms.map(countingPartitionOf));
    const agents = await Promise.all([...storms, calm].map((id) => stage.addAgent(id)));
    await stage.first.counter.drain();
    const [held, released, counted] = [withResolvers<void>(), withResolvers<void>(), withResolvers<void>()];
    let holdsBack = false;
    let inHand = 0;
    const counter = startCounter(async (_trx, groups, { partitions }) => {
      if (groups.some((group) => group.projectID === calm)) counted.resolve();
      if (!holdsBack || !partitions.some((partition) => ofStorms.has(partition))) return nothingNoted;
      inHand += 1;
      if (inHand === 2) held.resolve();
      await released.promise;
      return nothingNoted;
    });
    const blow = (texts: number) =>
      Promise.all(
        storms.map((projectID, index) =>
          stage.report(
            agents[index] ?? '',
            projectID,
            Array.from({ length: texts }, (_, number) => `disk ${texts + number} is full`),
          ),
        ),
      );
    await blow(1_000);
    await eventually(async () => {
      const states = await Promise.all(storms.map(stateOf));
      expect(states).toEqual(
        storms.map(() => expect.objectContaining({ nextAt: stage.clock.now() + 1_000 })),
      );
    });
    holdsBack = true;
    await blow(2_000);
    stage.clock.advance(1_000);
    await held.promise;
    await stage.report(agents[3] ?? '', calm, ['no space']);
    await counted.promise;
    // The third storm waits for its turn.
    expect(inHand).toBe(2);
    released.resolve();
    expect(await counter.close()).toEqual([]);
    await stage.first.counter.drain();
  });

  it('is counted together with others in one transaction, unless it is in a storm', async () => {
    const projects = [await stage.addProject(), await stage.addProject(), await stage.addProject()];
    for (const id of projects) await stage.report(await stage.addAgent(id), id, ['no space', 'no route']);
    stage.clock.advance(1_000);
    const request = { now: stage.clock.now(), heardSince: 0, maxChanges: 3 };
    const partitions = projects.map(countingPartitionOf).toSorted((one, other) => one - other);
    // A share of the portion for each.
    expect(
      await countPortionOnPostgres(database(), { ...request, partitions }, { isRead: false }),
    ).toMatchObject({
      changes: 3,
      isDrained: false,
      partitions: partitions.map((partition) => ({ partition, changes: 1, isDrained: false })),
    });
    expect(
      await countPortionOnPostgres(database(), { ...request, maxChanges: 40, partitions }, { isRead: false }),
    ).toMatchObject({
      changes: 3,
      isDrained: true,
      partitions: partitions.map((partition) => ({ partition, countedAt: stage.clock.now() })),
    });
    await stage.first.counter.drain();
    const { stored, counted } = await stage.countAll();
    expect(stored).toEqual(counted);
  });

  it('is counted in smaller portions after a failure, however few changes were waiting', async () => {
    const { projectID, agentID } = await addCounted();
    const faults = Array.from({ length: 20 }, (_, number) => `cannot ${'x'.repeat(number + 1)}`);
    await stage.report(agentID, projectID, faults);
    const closing = new AbortController();
    const counter = new ErrorGroupCounter({
      database: database(),
      engine: createCountingEngine(database(), {
        async onCounted(_trx, groups) {
          if (groups.length > 12) throw new Error('too many groups');
          return nothingNoted;
        },
      }),
      clock: stage.clock.now,
      monotonic: () => 0,
      closing: closing.signal,
      onFailure: () => undefined,
    });
    const outcomes: string[] = [];
    while (outcomes.length < 2) {
      await counter.drain().then(
        () => outcomes.push('counted'),
        () => outcomes.push('failed'),
      );
    }
    expect(outcomes).toEqual(['failed', 'counted']);
    closing.abort();
    await counter.close();
  });

  it('in which very many agents have changed keeps no other from being counted', async () => {
    const [busy, calm] = [await stage.addProject(), await stage.addProject()];
    const agents = [await stage.addAgent(busy), await stage.addAgent(calm)];
    await stage.first.counter.drain();
    const busyPart = countingPartitionOf(busy);
    const [first, second] = [withResolvers<readonly number[]>(), withResolvers<readonly number[]>()];
    let isBusy = true;
    await stage.report(agents[0] ?? '', busy, ['no space']);
    await stage.report(agents[1] ?? '', calm, ['no space']);
    const counter = startCounter(async (_trx, groups, { partitions }) => {
      for (const { projectID, isNew } of groups) {
        if (projectID === calm && isNew) (partitions.includes(busyPart) ? first : second).resolve(partitions);
      }
      const moreIn = isBusy ? partitions.filter((part) => part === busyPart) : [];
      return { ...nothingNoted, hasMore: moreIn.length > 0, moreIn };
    });
    await first.promise;
    await stage.report(agents[1] ?? '', calm, ['no route']);
    expect(await second.promise).toEqual([countingPartitionOf(calm)]);
    isBusy = false;
    expect(await counter.close()).toEqual([]);
    await stage.first.counter.drain();
  });

  it('that cannot be counted keeps no other from being counted', async () => {
    const [broken, sound] = [await stage.addProject(), await stage.addProject()];
    const agents = [await stage.addAgent(broken), await stage.addAgent(sound)];
    await stage.first.counter.drain();
    await stage.report(agents[0] ?? '', broken, ['no space']);
    await stage.report(agents[1] ?? '', sound, ['no space']);
    const counted = withResolvers<void>();
    const counter = startCounter(async (_trx, groups, { partitions }) => {
      if (partitions.includes(countingPartitionOf(broken))) throw new Error('it is broken');
      if (groups.some((group) => group.projectID === sound)) counted.resolve();
      return nothingNoted;
    });
    await counted.promise;
    expect(new Set(await counter.close())).toEqual(new Set(['Error: it is broken']));
    await stage.first.counter.drain();
  });
});
