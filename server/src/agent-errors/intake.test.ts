import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Intake } from './intake.ts';
import type { Report, ReportOutcome } from './report.ts';

/** A store whose commits a test ends one by one. */
class HeldStore {
  readonly batches: { readonly texts: readonly string[]; commit(): void; fail(error: Error): void }[] = [];

  readonly store = (reports: readonly Report[]): Promise<readonly ReportOutcome[]> =>
    new Promise((resolve, reject) => {
      this.batches.push({
        texts: reports.map(({ error }) => error),
        commit: () => resolve(reports.map(({ id, createdAt }) => ({ kind: 'created', id, createdAt }))),
        fail: reject,
      });
    });

  async commit(index: number): Promise<void> {
    this.batches[index]?.commit();
    await nextTurn();
  }
}

function report(error: string): Report {
  const id = randomUUID();
  return { id, agentID: id, projectID: id, error, digest: new Uint8Array(32), createdAt: 0, generation: 0 };
}

const reports = (...texts: string[]) => texts.map(report);
const textsOf = (held: HeldStore) => held.batches.map(({ texts }) => texts);

describe('Intake', () => {
  it('gathers what is submitted in one turn into one commit, and answers each its own outcomes in order', async () => {
    const held = new HeldStore();
    const intake = new Intake({ store: held.store });
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

  it('has one commit under way at a time; the next one gathers meanwhile', async () => {
    const held = new HeldStore();
    const intake = new Intake({ store: held.store });
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

  it('answers nobody before the commit', async () => {
    const held = new HeldStore();
    const intake = new Intake({ store: held.store });
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

  it('never splits what was submitted together, and otherwise keeps to the size of a batch', async () => {
    const held = new HeldStore();
    const intake = new Intake({ store: held.store, batchSize: 3 });
    const answers = [['a', 'b'], ['c', 'd'], ['e'], ['f', 'g', 'h', 'i', 'j'], ['k']].map((texts) =>
      intake.submit(reports(...texts)),
    );
    await nextTurn();
    for (let batch = 0; batch < 4; batch += 1) await held.commit(batch);
    await Promise.all(answers);
    expect(textsOf(held)).toEqual([['a', 'b'], ['c', 'd', 'e'], ['f', 'g', 'h', 'i', 'j'], ['k']]);
  });

  it('rejects all of a batch that could not be stored, and goes on with the next', async () => {
    const held = new HeldStore();
    const intake = new Intake({ store: held.store, batchSize: 2 });
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

  it('refuses what is too much, says when to come back, and takes it once there is room', async () => {
    const held = new HeldStore();
    const intake = new Intake({ store: held.store, mostWaiting: 3 });
    const waiting = intake.submit(reports('a', 'b'));
    await expect(intake.submit(reports('c', 'd'))).rejects.toMatchObject({
      code: 'overloaded',
      retryAfterSeconds: 2,
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
});
