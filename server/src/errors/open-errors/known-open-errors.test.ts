import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Report, ReportOutcome } from '../report.ts';
import { KnownOpenErrors } from './known-open-errors.ts';

/** The UUID of the same name is always the same, and made 5 ms after 1970. */
function idOf(name: string): string {
  const hex = hash('sha256', name);
  return `00000000-0005-7${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`;
}

const randomBytes = (size: number) => new Uint8Array(size).fill(7);

/** Takes names in place of the ids of agents and projects. */
class NamedOpenErrors {
  readonly errors: KnownOpenErrors;

  constructor(limits: { readonly maxErrors?: number; readonly maxProjects?: number } = {}) {
    this.errors = new KnownOpenErrors({ randomBytes, ...limits });
  }

  find(agent: string, project: string, text: string) {
    return this.errors.find(idOf(agent), idOf(project), text);
  }

  forget(agent: string): void {
    this.errors.forget(idOf(agent));
  }

  learnFrom(...[store]: Parameters<KnownOpenErrors['learnFrom']>) {
    return this.errors.learnFrom(store);
  }
}

function report(agent: string, error: string, project = 'project'): Report {
  return {
    id: idOf(`${agent} ${error}`),
    agentID: idOf(agent),
    projectID: idOf(project),
    error,
    createdAt: 5,
    generation: 0,
  };
}

/** A store whose only commit the test completes. */
function heldStore() {
  let commit: (outcomes: readonly ReportOutcome[]) => void = () => undefined;
  const store = () =>
    new Promise<readonly ReportOutcome[]>((resolve) => {
      commit = resolve;
    });
  return { store, commit: (...outcomes: ReportOutcome[]) => commit(outcomes) };
}

const ignored = (id: string): ReportOutcome => ({ kind: 'ignored', id, createdAt: 5 });

/** Adds errors that a store has found open. */
async function teach(knownOpen: NamedOpenErrors, ...reports: Report[]): Promise<void> {
  await knownOpen.learnFrom(async () => reports.map(({ id }) => ignored(id)))(reports);
}

describe('KnownOpenErrors', () => {
  it('knows errors that a store has created or found open, but no refused ones', async () => {
    const knownOpen = new NamedOpenErrors();
    const outcomes: ReportOutcome[] = [
      { kind: 'created', id: idOf('1'), createdAt: 5 },
      { kind: 'ignored', id: idOf('2'), createdAt: 5 },
      { kind: 'limited', limit: 'openPerAgent' },
      { kind: 'agent_not_found' },
      { kind: 'agent_deleted' },
      { kind: 'credential_changed' },
    ];
    const reports = outcomes.map(({ kind }) => report('agent', kind));
    expect(await knownOpen.learnFrom(async () => outcomes)(reports)).toBe(outcomes);
    expect(outcomes.map(({ kind }) => knownOpen.find('agent', 'project', kind)?.id)).toEqual([
      idOf('1'),
      idOf('2'),
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('answers only for the same agent, project and text', async () => {
    const knownOpen = new NamedOpenErrors();
    await teach(knownOpen, report('agent', 'text'));
    expect(knownOpen.find('agent', 'project', 'text')).toEqual({
      id: idOf('agent text'),
      createdAt: 5,
    });
    expect(knownOpen.find('other', 'project', 'text')).toBeUndefined();
    expect(knownOpen.find('agent', 'other', 'text')).toBeUndefined();
    expect(knownOpen.find('agent', 'project', 'Text')).toBeUndefined();
  });

  it.each([1, 8, 9, 500])('knows all of %i texts of an agent, and the latest of each', async (count) => {
    const knownOpen = new NamedOpenErrors();
    const texts = Array.from({ length: count }, (_, index) => `text ${index}`);
    await teach(knownOpen, ...texts.map((text) => report('agent', text)));
    await knownOpen.learnFrom(async () => [{ kind: 'created', id: idOf('later'), createdAt: 5 }])([
      report('agent', 'text 0'),
    ]);
    expect(texts.map((text) => knownOpen.find('agent', 'project', text)?.id)).toEqual([
      idOf('later'),
      ...texts.slice(1).map((text) => idOf(`agent ${text}`)),
    ]);
    expect(knownOpen.find('agent', 'project', 'another text')).toBeUndefined();
    knownOpen.forget('agent');
    expect(texts.map((text) => knownOpen.find('agent', 'project', text))).toEqual(texts.map(() => undefined));
  });

  it('forgets only the given agent', async () => {
    const knownOpen = new NamedOpenErrors();
    await teach(knownOpen, report('one', 'text'), report('one', 'more'), report('other', 'text'));
    knownOpen.forget('one');
    expect(knownOpen.find('one', 'project', 'text')).toBeUndefined();
    expect(knownOpen.find('one', 'project', 'more')).toBeUndefined();
    expect(knownOpen.find('other', 'project', 'text')).toBeDefined();
  });

  it('does not learn of an agent that is forgotten while the batch is under way', async () => {
    const knownOpen = new NamedOpenErrors();
    const { store, commit } = heldStore();
    const batch = knownOpen.learnFrom(store)([report('one', 'text'), report('other', 'text')]);
    knownOpen.forget('one');
    commit(ignored(idOf('1')), ignored(idOf('2')));
    await batch;
    expect(knownOpen.find('one', 'project', 'text')).toBeUndefined();
    expect(knownOpen.find('other', 'project', 'text')).toBeDefined();
  });

  it('does not learn of it from an earlier batch either, while a later one is under way', async () => {
    const knownOpen = new NamedOpenErrors();
    const [earlier, later] = [heldStore(), heldStore()];
    const storing = [
      knownOpen.learnFrom(earlier.store)([report('a', 'x')]),
      knownOpen.learnFrom(later.store)([report('b', 'x')]),
    ];
    knownOpen.forget('a');
    storing.push(knownOpen.learnFrom(async () => [ignored(idOf('3'))])([report('c', 'x')]));
    earlier.commit(ignored(idOf('1')));
    later.commit(ignored(idOf('2')));
    await Promise.all(storing);
    expect(knownOpen.find('a', 'project', 'x')).toBeUndefined();
    expect(knownOpen.find('b', 'project', 'x')).toEqual({ id: idOf('2'), createdAt: 5 });
    expect(knownOpen.find('c', 'project', 'x')).toEqual({ id: idOf('3'), createdAt: 5 });
  });

  it('learns the agent again from the next batch', async () => {
    const knownOpen = new NamedOpenErrors();
    knownOpen.forget('agent');
    await teach(knownOpen, report('agent', 'text'));
    expect(knownOpen.find('agent', 'project', 'text')).toBeDefined();
  });

  it('learns nothing from a failed batch', async () => {
    const knownOpen = new NamedOpenErrors();
    const failing = knownOpen.learnFrom(() => Promise.reject(new Error('no disk')));
    await expect(failing([report('agent', 'text')])).rejects.toThrow('no disk');
    expect(knownOpen.find('agent', 'project', 'text')).toBeUndefined();
  });

  it.each([
    ['whose id is none', { ...report('agent', 'text'), id: 'no id' }],
    ['whose time is not the one in its id', { ...report('agent', 'text'), createdAt: 6 }],
    ['of an agent whose id is none', { ...report('agent', 'text'), agentID: 'no id' }],
  ])('leaves an error to the database %s', async (_, { id, createdAt, ...rest }) => {
    const { errors } = new NamedOpenErrors();
    await errors.learnFrom(async () => [{ kind: 'ignored', id, createdAt }])([{ id, createdAt, ...rest }]);
    expect(errors.find(rest.agentID, rest.projectID, 'text')).toBeUndefined();
  });

  it('forgets everything before it holds more projects than it may', async () => {
    const knownOpen = new NamedOpenErrors({ maxProjects: 2 });
    await teach(knownOpen, report('a', '1', 'one'), report('b', '1', 'two'), report('c', '1', 'two'));
    expect(knownOpen.find('a', 'one', '1')).toBeDefined();
    await teach(knownOpen, report('d', '1', 'three'));
    expect(knownOpen.find('a', 'one', '1')).toBeUndefined();
    expect(knownOpen.find('b', 'two', '1')).toBeUndefined();
    expect(knownOpen.find('d', 'three', '1')).toBeDefined();
    expect(knownOpen.errors.figures.size).toBe(1);
  });

  it('knows what a simple model knows, after any reports and changes', async () => {
    const agent = fc.constantFrom('a', 'b', 'c', 'd');
    const text = fc.constantFrom('1', '2', '3', 'x'.repeat(3_000));
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('report' as const), agent, text }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('forget' as const), agent }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget all' as const) }) },
    );
    const maxErrors = 6;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const knownOpen = new NamedOpenErrors({ maxErrors });
        /** By agent, in the order in which they last learned of an error. */
        const model = new Map<string, Set<string>>();
        const count = () => [...model.values()].reduce((sum, { size }) => sum + size, 0);
        for (const one of steps) {
          if (one.kind === 'forget all') {
            knownOpen.errors.forgetAll();
            model.clear();
          } else if (one.kind === 'forget') {
            knownOpen.forget(one.agent);
            model.delete(one.agent);
          } else {
            await teach(knownOpen, report(one.agent, one.text));
            const texts = model.get(one.agent) ?? new Set();
            model.delete(one.agent);
            model.set(one.agent, texts.add(one.text));
            for (const oldest of model.keys()) if (count() > maxErrors) model.delete(oldest);
          }
          for (const name of ['a', 'b', 'c', 'd']) {
            for (const error of ['1', '2', '3', 'x'.repeat(3_000), `${'x'.repeat(2_999)}y`]) {
              const isKnown = model.get(name)?.has(error) ?? false;
              expect(knownOpen.find(name, 'project', error)?.id).toBe(
                isKnown ? idOf(`${name} ${error}`) : undefined,
              );
            }
          }
          expect(knownOpen.errors.figures.size).toBe(count());
        }
      }),
    );
  });

  it('respects its maximum size, and evicts whole agents, least recently active first', async () => {
    const knownOpen = new NamedOpenErrors({ maxErrors: 3 });
    await teach(knownOpen, report('a', '1'));
    await teach(knownOpen, report('b', '1'), report('b', '2'));
    await teach(knownOpen, report('a', '1'));
    await teach(knownOpen, report('c', '1'));
    const known = [
      ['a', '1'],
      ['b', '1'],
      ['b', '2'],
      ['c', '1'],
    ].filter(([agentID = '', text = '']) => knownOpen.find(agentID, 'project', text) !== undefined);
    expect(known).toEqual([
      ['a', '1'],
      ['c', '1'],
    ]);
  });
});
