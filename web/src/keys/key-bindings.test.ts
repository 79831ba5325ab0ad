import { expect, it } from 'vitest';
import { KeyBindings } from './key-bindings.ts';

const pressed = { ctrlKey: false, metaKey: false, altKey: false, isTaken: false };

it('gives a key the meaning of what was added last', () => {
  const keys = new KeyBindings();
  const done: string[] = [];
  const binding = (key: string, text: string) => ({ key, text, run: () => done.push(text) });
  keys.add([binding('x', 'page'), binding('?', 'help')]);
  const remove = keys.add([binding('x', 'list')]);
  expect(keys.list().map(({ key, text }) => [key, text])).toEqual([
    ['x', 'list'],
    ['?', 'help'],
  ]);
  expect([keys.press({ ...pressed, key: 'x' }), keys.press({ ...pressed, key: 'y' })]).toEqual([true, false]);
  remove();
  keys.press({ ...pressed, key: 'x' });
  expect(done).toEqual(['list', 'page']);
});

it.each(['ctrlKey', 'metaKey', 'altKey', 'isTaken'])('leaves a key alone with %s', (name) => {
  const keys = new KeyBindings();
  keys.add([{ key: 'x', text: 'select', run: () => expect.unreachable() }]);
  expect(keys.press({ ...pressed, key: 'x', [name]: true })).toBe(false);
});
