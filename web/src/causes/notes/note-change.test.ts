import { expect, it } from 'vitest';
import { noteChange } from './note-change.ts';

const ada = { kind: 'user', id: 'ada', name: 'Ada' } as const;
const noted = { assignee: ada, note: 'known', link: null };
const bare = { assignee: null, note: null, link: null };

it.each([
  ['nothing that was not touched', {}, noted, {}],
  ['nothing that is as before', { assigneeID: 'ada', note: ' known ', link: '' }, noted, {}],
  ['another assignee', { assigneeID: 'bob' }, noted, { assigneeID: 'bob' }],
  ['no assignee any more', { assigneeID: '' }, noted, { assigneeID: null }],
  ['nobody, where nobody was', { assigneeID: '' }, bare, {}],
  ['a note without its spaces', { note: ' a \n' }, bare, { note: 'a' }],
  ['no note any more', { note: ' ' }, noted, { note: null }],
  ['a link', { link: 'https://a.example/1' }, bare, { link: 'https://a.example/1' }],
  ['of many, nothing for an empty field', { assigneeID: '', note: '', link: ' ' }, undefined, {}],
  ['of many, the assignee', { assigneeID: 'bob' }, undefined, { assigneeID: 'bob' }],
  ['of many, nobody', { assigneeID: 'nobody' }, undefined, { assigneeID: null }],
])('changes %s', (_, typed, before, change) => {
  expect(noteChange(typed, before)).toEqual(change);
});
