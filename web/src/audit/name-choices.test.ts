import type { AuditEntry } from '@muster/client';
import { expect, it } from 'vitest';
import { nameChoices } from './name-choices.ts';

const entry = (actor: object, target: object) => ({ actor, target }) as AuditEntry; // the parts that are read
const known = {
  people: [
    { id: 'u2', name: 'Zoe' },
    { id: 'u1', name: 'Ada' },
  ],
  tokens: [{ id: 't1', name: 'ci' }],
};

it('are people and tokens by name, and those who stand in the log alone', () => {
  const entries = [
    entry({ id: 'u1', name: 'Ada' }, { id: 'f1', name: 'edge' }),
    entry({ id: 'a1', name: 'web-01' }, { id: 't1', name: 'ci' }),
    entry({ id: null, name: null }, { id: null, name: null }),
  ];
  expect(nameChoices(known, entries, 'actor', undefined).map(({ items }) => items)).toEqual([
    [
      { value: 'u1', label: 'Ada' },
      { value: 'u2', label: 'Zoe' },
    ],
    [{ value: 't1', label: 'ci' }],
    [{ value: 'a1', label: 'web-01' }],
  ]);
  expect(nameChoices(known, entries, 'target', undefined).at(-1)?.items).toEqual([
    { value: 'f1', label: 'edge' },
  ]);
});

it('have what is chosen among them, with its name as soon as an entry says it', () => {
  const nobody = { people: [], tokens: [] };
  const labels = (entries: readonly AuditEntry[]) =>
    nameChoices(nobody, entries, 'target', 'f1').flatMap(({ items }) => items.map(({ label }) => label));
  expect(labels([])).toEqual(['f1']);
  expect(labels([entry({ id: null, name: null }, { id: 'f1', name: 'edge' })])).toEqual(['edge']);
});
