import { expect, it } from 'vitest';
import { installCommand } from './install-command.ts';

const url = new URL('https://muster.example.com/');
const begin = 'muster core-instance install --url https://muster.example.com/ --name';

it.each([
  ['plant-7', 'plant-7'],
  ['plant 7; $(reboot)', "'plant 7; $(reboot)'"],
  ["plant's", `'plant'\\''s'`],
])('a site called %s is started with its name as one word', (name, word) => {
  expect(installCommand(name, url)).toBe(`${begin} ${word}`);
});

it.each(['a\nreboot', 'a\u001b[2J', 'a\u202eb', 'a\u2028b'])(
  'no command is written for a name that does something in a terminal',
  (name) => {
    expect(installCommand(name, url)).toBeUndefined();
  },
);
