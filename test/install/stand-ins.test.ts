import { describe, expect, it } from 'vitest';
import { StandIns } from './stand-ins.ts';

const surroundings = { folder: '/tmp/x/folder', home: '/tmp/x/home', url: 'http://127.0.0.1:45678' };
const [first, second] = ['01a1fca3-aaaa-7000-8000-0123456789ab', '01a1fca3-bbbb-7000-8000-0123456789ac'];

describe('stand-ins', () => {
  it.each([
    ['http://127.0.0.1:45678/docs', 'http://127.0.0.1:7400/docs'],
    ['/tmp/x/folder/data and /tmp/x/home/.config', '/home/you/muster/data and /home/you/.config'],
    ['-H eyJhIjoxfQ.mst_p_Ab12 -d', '-H eyJ….mst_p_… -d'],
    ['/sign_in/link/mst_l_Ab12', '/sign_in/link/mst_l_…'],
    ['once, until 03:04 UTC.', 'once, until 10:30 UTC.'],
    ['at 2026-01-02T03:04:05.678Z', 'at 2026-11-21T09:30:00.000Z'],
    ['[03:04:05] INFO: [03:04:05]', '[09:30:00] INFO: [03:04:05]'],
    ['since      3 s ago', 'since      now'],
    [
      'history  |  █ ▂| last 30 min, up to 2 a minute',
      `history  |${' '.repeat(29)}█| last 30 min, up to 3 a minute`,
    ],
    ['retry in 6 s or now', 'retry in 6 s or now'],
  ])('%s', (screen, expected) => {
    expect(new StandIns(surroundings).replaceIn(screen)).toBe(expected);
  });

  it('number ids as they appear, the same one alike, also in a later screen', () => {
    const standIns = new StandIns(surroundings);
    const [one, two] = ['01a1fc9f-0000-7000-8000-000000000001', '01a1fc9f-0000-7000-8000-000000000002'];
    expect(standIns.replaceIn(`${first} ${second} ${first}`)).toBe(`${one} ${two} ${one}`);
    expect(standIns.replaceIn(second)).toBe(two);
  });

  it('keep the columns of a table, and its short ids belong to the long ones', () => {
    const standIns = new StandIns(surroundings);
    const row = (id: string, since: string, seen: string) =>
      `${id}  75%       3  ${since}  ${seen}  new    text`;
    expect(standIns.replaceIn(row(first.slice(-8), '12 s ', '59 s ago'))).toBe(
      row('00000001', 'now  ', 'now     '),
    );
    expect(standIns.replaceIn(row(second.slice(-8), 'now  ', '1 min ago'))).toBe(
      row('00000002', 'now  ', 'now      '),
    );
    expect(standIns.replaceIn(first)).toBe('01a1fc9f-0000-7000-8000-000000000001');
  });
});
