import { describe, expect, it } from 'vitest';
import type { Report, ReportOutcome } from '../report.ts';
import { StandingErrors } from './standing-errors.ts';

function report(agentID: string, error: string, projectID = 'project'): Report {
  return {
    id: `${agentID} ${error}`,
    agentID,
    projectID,
    error,
    createdAt: 7,
    generation: 0,
  };
}

/** A store whose one commit a test ends. */
function heldStore() {
  let commit: (outcomes: readonly ReportOutcome[]) => void = () => undefined;
  const store = () =>
    new Promise<readonly ReportOutcome[]>((resolve) => {
      commit = resolve;
    });
  return { store, commit: (...outcomes: ReportOutcome[]) => commit(outcomes) };
}

const ignored = (id: string): ReportOutcome => ({ kind: 'ignored', id, createdAt: 5 });

/** Tells it of errors that a store has found standing. */
async function teach(standing: StandingErrors, ...reports: Report[]): Promise<void> {
  await standing.learnFrom(async () => reports.map(({ id }) => ignored(id)))(reports);
}

describe('StandingErrors', () => {
  it('knows what a store has created or found standing, and nothing that it has refused', async () => {
    const standing = new StandingErrors();
    const outcomes: ReportOutcome[] = [
      { kind: 'created', id: '1', createdAt: 1 },
      { kind: 'ignored', id: '2', createdAt: 2 },
      { kind: 'limited', limit: 'openPerAgent' },
      { kind: 'agent_not_found' },
      { kind: 'agent_deleted' },
      { kind: 'credential_changed' },
    ];
    const reports = outcomes.map(({ kind }) => report('agent', kind));
    expect(await standing.learnFrom(async () => outcomes)(reports)).toBe(outcomes);
    expect(outcomes.map(({ kind }) => standing.find('agent', 'project', kind)?.id)).toEqual([
      '1',
      '2',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('answers only for the same agent, project and text', async () => {
    const standing = new StandingErrors();
    await teach(standing, report('agent', 'text'));
    expect(standing.find('agent', 'project', 'text')).toMatchObject({ id: 'agent text', createdAt: 5 });
    expect(standing.find('other', 'project', 'text')).toBeUndefined();
    expect(standing.find('agent', 'other', 'text')).toBeUndefined();
    expect(standing.find('agent', 'project', 'Text')).toBeUndefined();
  });

  it.each([1, 8, 9, 500])('knows all of %i texts of an agent, and the latest of each', async (count) => {
    const standing = new StandingErrors();
    const texts = Array.from({ length: count }, (_, index) => `text ${index}`);
    await teach(standing, ...texts.map((text) => report('agent', text)));
    await standing.learnFrom(async () => [{ kind: 'created', id: 'later', createdAt: 9 }])([
      report('agent', 'text 0'),
    ]);
    expect(texts.map((text) => standing.find('agent', 'project', text)?.id)).toEqual([
      'later',
      ...texts.slice(1).map((text) => `agent ${text}`),
    ]);
    expect(standing.find('agent', 'project', 'another text')).toBeUndefined();
    standing.forget('agent');
    expect(texts.map((text) => standing.find('agent', 'project', text))).toEqual(texts.map(() => undefined));
  });

  it('forgets an agent, and no other one', async () => {
    const standing = new StandingErrors();
    await teach(standing, report('one', 'text'), report('one', 'more'), report('other', 'text'));
    standing.forget('one');
    expect(standing.find('one', 'project', 'text')).toBeUndefined();
    expect(standing.find('one', 'project', 'more')).toBeUndefined();
    expect(standing.find('other', 'project', 'text')).toBeDefined();
  });

  it('does not learn of an agent that is forgotten while the batch is under way', async () => {
    const standing = new StandingErrors();
    const { store, commit } = heldStore();
    const batch = standing.learnFrom(store)([report('one', 'text'), report('other', 'text')]);
    standing.forget('one');
    commit(ignored('1'), ignored('2'));
    await batch;
    expect(standing.find('one', 'project', 'text')).toBeUndefined();
    expect(standing.find('other', 'project', 'text')).toBeDefined();
  });

  it('learns of it again from the next batch', async () => {
    const standing = new StandingErrors();
    standing.forget('agent');
    await teach(standing, report('agent', 'text'));
    expect(standing.find('agent', 'project', 'text')).toBeDefined();
  });

  it('learns nothing from a batch that fails', async () => {
    const standing = new StandingErrors();
    const failing = standing.learnFrom(() => Promise.reject(new Error('no disk')));
    await expect(failing([report('agent', 'text')])).rejects.toThrow('no disk');
    expect(standing.find('agent', 'project', 'text')).toBeUndefined();
  });

  it('holds no more text than it may, where a text that agents have in common counts once', async () => {
    const standing = new StandingErrors({ maxCharacters: 10 });
    const knows = (agentID: string, text: string) => standing.find(agentID, 'project', text) !== undefined;
    await teach(standing, report('a', '12345'), report('b', '12345'), report('c', '12345'));
    await teach(standing, report('d', '67890'));
    expect(['a', 'b', 'c'].map((agent) => knows(agent, '12345'))).toEqual([true, true, true]);
    await teach(standing, report('e', '!'));
    expect(['a', 'b', 'c'].map((agent) => knows(agent, '12345'))).toEqual([false, true, true]);
    expect([knows('d', '67890'), knows('e', '!')]).toEqual([true, true]);
    standing.forget('d');
    await teach(standing, report('f', 'abcd'));
    expect([knows('b', '12345'), knows('e', '!'), knows('f', 'abcd')]).toEqual([true, true, true]);
    await teach(standing, report('g', 'longer than all'));
    expect(['b', 'e', 'f', 'g'].map((agent) => knows(agent, '12345'))).toEqual([false, false, false, false]);
  });

  it('holds no more than it may, and gives up whole agents, the longest unheard of first', async () => {
    const standing = new StandingErrors({ maxErrors: 3 });
    await teach(standing, report('a', '1'));
    await teach(standing, report('b', '1'), report('b', '2'));
    await teach(standing, report('a', '1'));
    await teach(standing, report('c', '1'));
    const known = [
      ['a', '1'],
      ['b', '1'],
      ['b', '2'],
      ['c', '1'],
    ].filter(([agentID = '', text = '']) => standing.find(agentID, 'project', text) !== undefined);
    expect(known).toEqual([
      ['a', '1'],
      ['c', '1'],
    ]);
  });
});
