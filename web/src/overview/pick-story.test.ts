import { expect, it } from 'vitest';
import { addNewest, countUnread, pickStory } from './pick-story.ts';

const now = Date.parse('2026-03-04T16:00:00Z');
const cause = (name: string, agentsCount: number, more: object = {}) => ({
  name,
  agentsCount,
  agentsShare: agentsCount / 1_000,
  isNew: false,
  regressedAt: null,
  mutedUntil: null,
  ...more,
});
const picked = (...causes: ReturnType<typeof cause>[]) => {
  const { story, listed, rest } = pickStory(causes, now);
  return [story?.name, listed.map(({ name }) => name), rest.map(({ name }) => name)];
};
const isNew = true;

it('tells of the most widespread cause that is new', () => {
  expect(
    picked(cause('old', 400), cause('new', 300, { isNew }), cause('small', 1, { isNew }), cause('few', 2)),
  ).toEqual(['new', ['old', 'small'], ['few']]);
});

it('tells of what came back within a day', () => {
  const back = { regressedAt: '2026-03-04T13:51:00Z' };
  const longBack = { regressedAt: '2026-03-02T13:51:00Z', isNew };
  expect(picked(cause('long', 50, longBack), cause('back', 31, back))).toEqual(['back', ['long'], []]);
});

it('tells nothing of what is muted, of what is on one agent or nowhere', () => {
  const mutedUntil = '2026-03-05T00:00:00Z';
  const tiny = { ...cause('one', 1, { isNew }), agentsShare: 0.5 };
  expect(picked(cause('muted', 300, { isNew, mutedUntil }), tiny, cause('gone', 0, { isNew }))).toEqual([
    undefined,
    ['one'],
    [],
  ]);
});

it('adds the newest causes to those on the most agents, each once', () => {
  const on = (agentsCount: number) => ({ id: `on ${agentsCount}`, agentsCount });
  expect(addNewest([on(40), on(30)], [on(1), on(30), on(2)])).toEqual([on(40), on(30), on(2), on(1)]);
});

it('counts what was not read, if more is open than is read', () => {
  expect([countUnread(7, 9), countUnread(50, 348), countUnread(60, 348), countUnread(50, 49)]).toEqual([
    0, 298, 288, 0,
  ]);
});
