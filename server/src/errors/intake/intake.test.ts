import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Report, ReportOutcome } from '../report.ts';
import { Intake } from './intake.ts';

/** A store whose commits the test completes one by one. */
class HeldStore {
  /** How long each commit takes, in milliseconds. */
  readonly commitMilliseconds: number;
  readonly batches: { readonly texts: readonly string[]; commit(): void; fail(error: Error): void }[] = [];

  constructor(commitMilliseconds = 0) {
    this.commitMilliseconds = commitMilliseconds;
  }

  /** Time advances only with commits. */
  readonly now = () => this.#committed * this.commitMilliseconds;
  #committed = 0;

  readonly store = (reports: readonly Report[]): Promise<readonly ReportOutcome[]> =>
    new Promise((resolve, reject) => {
      this.batches.push({
        texts: reports.map(({ error }) => error),
        commit: () => {
          this.#committed += 1;
          resolve(reports.map(({ id, createdAt }) => ({ kind: 'created', id, createdAt })));
        },
        fail: reject,
      });
    });

  async commit(index: number): Promise<void> {
    while (this.batches[index] === undefined) await nextTurn();
    this.batches[index].commit();
    await nextTurn();
  }
}

function report(error: string): Report {
  const id = randomUUID();
  return { id, agentID: id, projectID: id, error, createdAt: 0, generation: 0 };
}

const reports = (...texts: string[]) => texts.map(report);
const textsOf = (held: HeldStore) => held.batches.map(({ texts }) => texts);

describe('Intake', () => {
  it('collects the submissions of one turn into one commit, and returns to each its own outcomes in order', async () => {
    const held = new HeldStore();
    const intake = new Intake({ store: held.store, now: held.now });
    const [one, other] = [reports('a'), reports('b', 'c')];
    const answers = [intake.submit(one), intake.submit(other)];
    await nextTurn();
    expect(textsOf(held)).toEqual([['a', 'b', 'c']]);
    await held.commit(0);
    expect(
      (await Promise.all(answers)).map((outcomes) =>
        outcomes.map((outcome) => outcome.kind === 'created' && outcome.id),
      ),
    ).toEqual([one, other].map((submitted) => submitted.map(({ id }) => id)));
  });

  it('has one commit under way at a time, and collects the next batch meanwhile', async () => {
    const held = new HeldStore();
    const intake = new Intake({ store: held.store, now: held.now });
    const answers = [intake.submit(reports('a'))];
    await nextTurn();
    answers.push(intake.submit(reports('b')));
    await nextTurn();
    answers.push(intake.submit(reports('c')));
    await nextTurn();
    expect(textsOf(held)).toEqual([['a']]);
    await held.commit(0);
    expect(textsOf(held)).toEqual([['a'], ['b', 'c']]);
    await held.commit(1);
    await Promise.all(answers);
    expect(intake.waitingReports).toBe(0);
  });

  describe('with two batches in flight', () => {
    const start = (commitMilliseconds?: number) => {
      const held = new HeldStore(commitMilliseconds);
      const intake = new Intake({ store: held.store, now: held.now, maxBatchesInFlight: 2 });
      return { held, intake };
    };
    const ofAgent = (agentID: string, error: string): Report => ({ ...report(error), agentID });

    it('sends the next one while the last one commits, and a third one after that', async () => {
      const { held, intake } = start();
      const answers = [intake.submit(reports('a'))];
      await nextTurn();
      answers.push(intake.submit(reports('b')));
      await nextTurn();
      answers.push(intake.submit(reports('c')));
      await nextTurn();
      expect(textsOf(held)).toEqual([['a'], ['b']]);
      await held.commit(1);
      expect(textsOf(held)).toEqual([['a'], ['b'], ['c']]);
      await held.commit(0);
      await held.commit(2);
      await Promise.all(answers);
      expect(intake.waitingReports).toBe(0);
    });

    it('never has the same agent in both, and keeps the order of its reports', async () => {
      const { held, intake } = start();
      const answers = [intake.submit([ofAgent('1', 'a')])];
      await nextTurn();
      answers.push(
        intake.submit([ofAgent('1', 'b'), ofAgent('2', 'c')]),
        intake.submit([ofAgent('2', 'd')]),
        intake.submit([ofAgent('3', 'e')]),
      );
      await nextTurn();
      expect(textsOf(held)).toEqual([['a'], ['e']]);
      await held.commit(1);
      expect(textsOf(held)).toEqual([['a'], ['e']]);
      await held.commit(0);
      await held.commit(2);
      await Promise.all(answers);
      expect(textsOf(held)).toEqual([['a'], ['e'], ['b', 'c', 'd']]);
    });

    it('waits until it is as large as the one that commits', async () => {
      const { held, intake } = start();
      const answers = ['a', 'b'].map((text) => intake.submit(reports(text)));
      await nextTurn();
      answers.push(intake.submit(reports('c')));
      await nextTurn();
      expect(textsOf(held)).toEqual([['a', 'b']]);
      answers.push(intake.submit(reports('d')));
      await nextTurn();
      expect(textsOf(held)).toEqual([
        ['a', 'b'],
        ['c', 'd'],
      ]);
      await held.commit(0);
      await held.commit(1);
      await Promise.all(answers);
    });

    it('splits many callers into two halves', async () => {
      const { held, intake } = start();
      const answers = Array.from({ length: 64 }, (_, index) => intake.submit(reports(String(index))));
      await nextTurn();
      await nextTurn();
      expect(textsOf(held).map(({ length }) => length)).toEqual([32, 32]);
      await held.commit(0);
      await held.commit(1);
      await Promise.all(answers);
    });

    it('keeps together what is too small for two', async () => {
      const { held, intake } = start();
      const answers = Array.from({ length: 30 }, (_, index) => intake.submit(reports(String(index))));
      await nextTurn();
      await nextTurn();
      expect(textsOf(held).map(({ length }) => length)).toEqual([30]);
      await held.commit(0);
      await Promise.all(answers);
    });

    it('does not look again at reports of an agent in flight before its batch is stored', async () => {
      const { held, intake } = start();
      const answers = [intake.submit([ofAgent('1', 'a')])];
      await nextTurn();
      let looks = 0;
      const seen = (error: string): Report => ({
        ...ofAgent('1', error),
        get agentID() {
          looks += 1;
          return '1';
        },
      });
      answers.push(intake.submit([seen('b')]));
      await nextTurn();
      expect(looks).toBeGreaterThan(0);
      looks = 0;
      answers.push(intake.submit([ofAgent('1', 'c')]), intake.submit([ofAgent('2', 'd')]));
      await nextTurn();
      expect(looks).toBe(0);
      await held.commit(0);
      await held.commit(1);
      await Promise.all(answers);
      expect(textsOf(held)).toEqual([['a'], ['b', 'c', 'd']]);
    });

    it('splits long arrays by their reports, not by their callers', async () => {
      const { held, intake } = start();
      const array = () => reports(...Array.from({ length: 100 }, (_, index) => String(index)));
      const answers = Array.from({ length: 8 }, () => intake.submit(array()));
      await nextTurn();
      await nextTurn();
      expect(textsOf(held).map(({ length }) => length)).toEqual([400, 400]);
      await held.commit(0);
      await held.commit(1);
      await Promise.all(answers);
      expect(intake.waitingReports).toBe(0);
    });

    it('continues after one of them has failed', async () => {
      const { held, intake } = start();
      const failing = expect(intake.submit([ofAgent('1', 'a')])).rejects.toThrow('no connection');
      await nextTurn();
      const other = intake.submit([ofAgent('2', 'b')]);
      await nextTurn();
      held.batches[0]?.fail(new Error('no connection'));
      await failing;
      const again = intake.submit([ofAgent('1', 'a')]);
      await nextTurn();
      expect(textsOf(held)).toEqual([['a'], ['b'], ['a']]);
      await held.commit(2);
      await again;
      await held.commit(1);
      await other;
      expect(intake.waitingReports).toBe(0);
    });
  });

  describe('with two batches in flight, which are committed one after the other', () => {
    const start = async () => {
      const held = new HeldStore();
      const commits = { milliseconds: 0 };
      const intake = new Intake({
        store: held.store,
        now: held.now,
        maxBatchesInFlight: 2,
        lastCommitMilliseconds: () => commits.milliseconds,
      });
      const commitFirst = async (milliseconds: number) => {
        const first = intake.submit(reports('first'));
        await nextTurn();
        commits.milliseconds = milliseconds;
        await held.commit(0);
        await first;
      };
      return { held, intake, commitFirst };
    };

    it('sends the second one while commits are fast, however long their rows take', async () => {
      const { held, intake, commitFirst } = await start();
      await commitFirst(3);
      const answers = [intake.submit(reports('a'))];
      await nextTurn();
      answers.push(intake.submit(reports('b')));
      await nextTurn();
      expect(textsOf(held)).toEqual([['first'], ['a'], ['b']]);
      await held.commit(1);
      await held.commit(2);
      await Promise.all(answers);
    });

    it('sends all in one batch where a commit takes long', async () => {
      const { held, intake, commitFirst } = await start();
      await commitFirst(3.1);
      const answers = Array.from({ length: 64 }, (_, index) => intake.submit(reports(String(index))));
      await held.commit(1);
      answers.push(intake.submit(reports('next')));
      await held.commit(2);
      await Promise.all(answers);
      expect(textsOf(held).map(({ length }) => length)).toEqual([1, 64, 1]);
      expect(intake.waitingReports).toBe(0);
    });
  });

  it('answers no report before the commit', async () => {
    const held = new HeldStore();
    const intake = new Intake({ store: held.store, now: held.now });
    let isAnswered = false;
    const answer = intake.submit(reports('a')).then(() => {
      isAnswered = true;
    });
    await nextTurn();
    await nextTurn();
    expect(isAnswered).toBe(false);
    await held.commit(0);
    await answer;
  });

  it('never splits a submission, and otherwise respects the size of a batch', async () => {
    const held = new HeldStore();
    const intake = new Intake({ store: held.store, now: held.now, batchSize: 3 });
    const answers = [['a', 'b'], ['c', 'd'], ['e'], ['f', 'g', 'h', 'i', 'j'], ['k']].map((texts) =>
      intake.submit(reports(...texts)),
    );
    await nextTurn();
    for (let batch = 0; batch < 4; batch += 1) await held.commit(batch);
    await Promise.all(answers);
    expect(textsOf(held)).toEqual([['a', 'b'], ['c', 'd', 'e'], ['f', 'g', 'h', 'i', 'j'], ['k']]);
  });

  describe('where commits take long', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it('delays the next one for the callers that were just answered', async () => {
      const held = new HeldStore(40);
      const intake = new Intake({ store: held.store, now: held.now });
      const answers = [intake.submit(reports('a')), intake.submit(reports('b'))];
      await nextTurn();
      answers.push(intake.submit(reports('c')));
      await held.commit(0);
      answers.push(intake.submit(reports('a again')));
      await nextTurn();
      expect(textsOf(held)).toEqual([['a', 'b']]);
      answers.push(intake.submit(reports('b again')), intake.submit(reports('d')));
      await held.commit(1);
      await Promise.all(answers);
      expect(textsOf(held)).toEqual([
        ['a', 'b'],
        ['c', 'a again', 'b again', 'd'],
      ]);
    });

    it.each([
      [40, 20],
      [4_000, 50],
    ])('after a commit of %i ms, waits for at most %i ms', async (commitMilliseconds, most) => {
      const held = new HeldStore(commitMilliseconds);
      const intake = new Intake({ store: held.store, now: held.now });
      const answers = [intake.submit(reports('a')), intake.submit(reports('b'))];
      await nextTurn();
      await held.commit(0);
      answers.push(intake.submit(reports('a again')));
      vi.advanceTimersByTime(most - 1);
      await nextTurn();
      expect(textsOf(held)).toEqual([['a', 'b']]);
      vi.advanceTimersByTime(1);
      await held.commit(1);
      await Promise.all(answers);
      expect(textsOf(held)).toEqual([['a', 'b'], ['a again']]);
    });

    it('does not wait once a whole batch does', async () => {
      const held = new HeldStore(40);
      const intake = new Intake({ store: held.store, now: held.now, batchSize: 2 });
      const answers = [intake.submit(reports('a'))];
      await nextTurn();
      answers.push(intake.submit(reports('b')), intake.submit(reports('c')));
      await held.commit(0);
      expect(textsOf(held)).toEqual([['a'], ['b', 'c']]);
      await held.commit(1);
      await Promise.all(answers);
    });

    it('accepts later reports if no caller has returned', async () => {
      const held = new HeldStore(40);
      const intake = new Intake({ store: held.store, now: held.now });
      const answers = [intake.submit(reports('a'))];
      await nextTurn();
      await held.commit(0);
      vi.advanceTimersByTime(20);
      await nextTurn();
      answers.push(intake.submit(reports('b')));
      await held.commit(1);
      await Promise.all(answers);
      expect(textsOf(held)).toEqual([['a'], ['b']]);
    });
  });

  it('rejects a whole batch that could not be stored, and continues with the next', async () => {
    const held = new HeldStore();
    const intake = new Intake({ store: held.store, now: held.now, batchSize: 2 });
    const answers = ['a', 'b', 'c'].map((text) => intake.submit(reports(text)));
    const outcomes = Promise.allSettled(answers);
    await nextTurn();
    held.batches[0]?.fail(new Error('disk is full'));
    await nextTurn();
    await held.commit(1);
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    const later = intake.submit(reports('d'));
    await nextTurn();
    await held.commit(2);
    await later;
    expect(intake.waitingReports).toBe(0);
  });

  it('refuses reports beyond its limits with a time to retry, and accepts them once there is room', async () => {
    const held = new HeldStore();
    const intake = new Intake({ store: held.store, now: held.now, limits: { reports: 3 } });
    const waiting = intake.submit(reports('a', 'b'));
    await expect(intake.submit(reports('c', 'd'))).rejects.toMatchObject({
      code: 'overloaded',
      retryAfterSeconds: expect.any(Number),
    });
    const fitting = intake.submit(reports('c'));
    expect(intake.waitingReports).toBe(3);
    await nextTurn();
    await held.commit(0);
    await Promise.all([waiting, fitting]);
    const later = intake.submit(reports('c', 'd'));
    await nextTurn();
    await held.commit(1);
    await later;
    expect(textsOf(held)).toEqual([
      ['a', 'b', 'c'],
      ['c', 'd'],
    ]);
  });

  it('accepts the largest possible array while it is idle, and a fifth one only after one of four is stored', async () => {
    const held = new HeldStore();
    const intake = new Intake({ store: held.store, now: held.now, limits: { milliseconds: 60_000 } });
    const largest = () => reports(...Array.from({ length: 1_000 }, () => '😀'.repeat(1_024)));
    const taken = [1, 2, 3, 4].map(() => intake.submit(largest()));
    await expect(intake.submit(largest())).rejects.toMatchObject({ code: 'overloaded' });
    expect(() => intake.requireRoom(1)).toThrow('overloaded');
    expect(intake.waitingReports).toBe(4_000);
    await nextTurn();
    await held.commit(0);
    taken.push(intake.submit(largest()));
    for (let commit = 1; commit < 5; commit += 1) await held.commit(commit);
    expect((await Promise.all(taken)).map((outcomes) => outcomes.length)).toEqual(Array(5).fill(1_000));
    expect(intake.waitingReports).toBe(0);
  });

  it('refuses reports that would wait for more than a second at the measured speed', async () => {
    const held = new HeldStore();
    let now = 0;
    const intake = new Intake({ store: held.store, now: () => now });
    const full = Array.from({ length: 500 }, (_, index) => `report ${index}`);
    for (let commit = 0; commit < 10; commit += 1) {
      const answer = intake.submit(reports(...full));
      await nextTurn();
      now += 500;
      await held.commit(commit);
      await answer;
    }
    // A millisecond each: of three times five hundred, two are answered within a second.
    const outcomes = Promise.allSettled([1, 2, 3].map(() => intake.submit(reports(...full.slice(0, 450)))));
    expect(() => intake.requireRoom(450)).toThrow('overloaded');
    await nextTurn();
    await held.commit(10);
    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(intake.waitingReports).toBe(0);
  });

  it('refuses reports that waited too long for a stalled commit, and stores later ones', async () => {
    const held = new HeldStore();
    let now = 0;
    const intake = new Intake({ store: held.store, now: () => now });
    const waiting = intake.submit(reports('stands still'));
    await nextTurn();
    // Handled from the start, because it is rejected before the test awaits it.
    const late = expect(intake.submit(reports('late'))).rejects.toMatchObject({ code: 'overloaded' });
    now += 4_000;
    const inTime = intake.submit(reports('in time'));
    now += 2_000;
    await held.commit(0);
    await waiting;
    await late;
    await held.commit(1);
    await inTime;
    expect(textsOf(held)).toEqual([['stands still'], ['in time']]);
    expect(intake.waitingReports).toBe(0);
  });

  it('continues after all waiting reports were too late', async () => {
    const held = new HeldStore();
    let now = 0;
    const intake = new Intake({ store: held.store, now: () => now });
    const waiting = intake.submit(reports('stands still'));
    await nextTurn();
    // Handled from the start, because it is rejected before the test awaits it.
    const late = expect(intake.submit(reports('late'))).rejects.toMatchObject({ code: 'overloaded' });
    now += 6_000;
    await held.commit(0);
    await waiting;
    await late;
    const later = intake.submit(reports('later'));
    await nextTurn();
    await held.commit(1);
    await later;
    expect(textsOf(held)).toEqual([['stands still'], ['later']]);
  });
});
