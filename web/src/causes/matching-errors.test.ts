import { expect, it } from 'vitest';
import { errorsOfChosen } from './matching-errors.ts';

it('leaves the current errors of causes alone that were chosen among superseded ones', () => {
  expect(errorsOfChosen({ state: 'earlier' }, ['one'])).toEqual({ groupIDs: ['one'], current: false });
  expect(errorsOfChosen({}, ['one', 'two'])).toEqual({ groupIDs: ['one', 'two'] });
});
