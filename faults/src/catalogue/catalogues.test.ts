import { describe, expect, it } from 'vitest';
import { explainError } from '../explain/explain-error.ts';
import { matchPattern, parsePattern } from '../explain/text-pattern.ts';
import { foldError } from '../fold/fold-error.ts';
import { catalogues } from './catalogues.ts';

const all = catalogues.flatMap(({ sections }) => sections.flatMap(({ faults }) => faults));

/** The hosts and folders of the agents' own documentation. */
const documentation = [
  'https://docs.fluentbit.io/manual/',
  'https://opentelemetry.io/docs/collector/',
  'https://github.com/open-telemetry/opentelemetry-collector',
  'https://vector.dev/docs/',
];

describe('the catalogues', () => {
  it.each([
    ['fluentbit', 160],
    ['otelcol', 60],
    ['vector', 35],
  ])('know of %s at least %d errors', (type, least) => {
    const [catalogue] = catalogues.filter(({ types }) => types.includes(type));
    const count = catalogue?.sections.reduce((sum, { faults }) => sum + faults.length, 0);
    expect(count).toBeGreaterThanOrEqual(least);
  });

  it('have ids of their own, which name the agent', () => {
    const ids = all.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids.filter((id) => !/^(?:fluent-bit|otelcol|vector)\/[a-z\d]+(?:-[a-z\d]+)*$/.test(id))).toEqual(
      [],
    );
  });

  it.each(all.map((fault) => [fault.id, fault] as const))(
    '%s: only this entry knows its example',
    (id, { example }) => {
      const knowing = all.filter(({ match }) =>
        match.some((one) => matchPattern(parsePattern(one), example)),
      );
      expect(knowing.map((fault) => fault.id)).toEqual([id]);
      expect(explainError(example)?.id).toBe(id);
    },
  );

  it.each(all.map((fault) => [fault.id, fault] as const))(
    '%s: two messages of it are one cause',
    (id, { example, repeat }) => {
      if (repeat === undefined) {
        expect(foldError(example)).toBe(example);
      } else {
        expect(repeat).not.toBe(example);
        expect(foldError(repeat)).toBe(foldError(example));
        expect(explainError(repeat)?.id).toBe(id);
      }
    },
  );

  it('say of each error what it means, why it happens and what to do, in whole sentences', () => {
    const incomplete = all.filter(
      ({ title, meaning, causes, actions }) =>
        title === '' ||
        causes.length === 0 ||
        actions.length === 0 ||
        [meaning, ...causes, ...actions].some((text) => !/^[A-Z4`].*[.`]$/.test(text)),
    );
    expect(incomplete.map(({ id }) => id)).toEqual([]);
  });

  it('give a command before other advice', () => {
    const late = all.filter(({ actions }) => actions.findIndex((action) => action.startsWith('Run `')) > 0);
    expect(late.map(({ id }) => id)).toEqual([]);
  });

  it("link to the agents' own documentation", () => {
    const foreign = all.filter(({ link }) => !documentation.some((start) => link.startsWith(start)));
    expect(foreign.map(({ id }) => id)).toEqual([]);
  });

  it('use only lists of names that exist, where the text has no list itself', () => {
    const missing = catalogues.flatMap(({ sections, names }) =>
      sections
        .flatMap(({ faults }) => faults)
        .filter(({ suggests }) => suggests !== undefined && suggests !== 'valid' && !(suggests in names)),
    );
    expect(missing).toEqual([]);
  });

  it('have a wrong name in the pattern of each error that suggests one', () => {
    const nameless = all.filter(
      ({ suggests, match }) =>
        suggests !== undefined &&
        !match.every((one) => one.includes('{wrong}') && one.includes('{valid}') === (suggests === 'valid')),
    );
    expect(nameless).toEqual([]);
  });
});
