import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../../../../test/rounds.ts';
import { minIDAt, timeOfID } from '../clock.ts';
import {
  firstPlaceAt,
  idAtPlace,
  idAtPlaceSql,
  idOfBytesSql,
  isAtPlaceSql,
  maxMoved,
  placeOfID,
  timeAtPlaceSql,
} from './id-place.ts';
import { loadSqliteDriver } from './sqlite/load-driver.ts';

const { DatabaseSync } = loadSqliteDriver();
let connection: InstanceType<typeof DatabaseSync>;

beforeAll(() => {
  connection = new DatabaseSync(':memory:');
  connection.exec('create table rows (place integer primary key, id_rest integer not null) strict');
});

const hexDigits = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((all) => all.join(''));

/** Any UUIDv7 up to the year 2500, with any sequence. */
const anyID = fc
  .tuple(
    fc.integer({ min: 0, max: Date.UTC(2500, 0, 1) }),
    hexDigits(3),
    fc.constantFrom(...'89ab'),
    hexDigits(3),
    hexDigits(12),
  )
  .map(([milliseconds, high, variant, middle, low]) => {
    const time = milliseconds.toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${variant}${middle}-${low}`;
  });

/** An id with a sequence in the form of `createNewID`. */
const newID = anyID.map((id) => `${id.slice(0, 15)}000-80${id.slice(21)}`);

function require<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('it has a place');
  return value;
}

describe('the place of an id', () => {
  it('and its rest give the id back, even if the row was moved, also in SQL', () => {
    fc.assert(
      fc.property(anyID, fc.integer({ min: 0, max: maxMoved }), (id, moved) => {
        const { place, rest } = require(placeOfID(id));
        const row = { place: place + BigInt(moved), rest: rest + (BigInt(moved) << 55n) };
        expect(idAtPlace(row)).toBe(id);
        connection.exec('delete from rows');
        const insert = connection.prepare('insert into rows values (?, ?)');
        // It also returns the place, which exceeds what a number holds.
        insert.setReadBigInts(true);
        insert.run(row.place, row.rest);
        const found = connection
          .prepare(
            `select ${idAtPlaceSql} as id, ${timeAtPlaceSql} as time from rows where ${isAtPlaceSql('?1', '?2')}`,
          )
          .get(place, rest);
        expect({ ...found }).toEqual({ id, time: timeOfID(id) });
      }),
      { seed: 1, numRuns: rounds(500) },
    );
  });

  it('has the order of the ids', () => {
    fc.assert(
      fc.property(newID, newID, (one, other) => {
        const [a, b] = [require(placeOfID(one)), require(placeOfID(other))];
        if (one.slice(0, 25) < other.slice(0, 25)) expect(a.place <= b.place).toBe(true);
        if (a.place < b.place) expect(one < other).toBe(true);
      }),
      { seed: 2, numRuns: rounds(1_000) },
    );
  });

  it('and its rest identify the id', () => {
    fc.assert(
      fc.property(anyID, anyID, (one, other) => {
        const [a, b] = [require(placeOfID(one)), require(placeOfID(other))];
        expect(a.place === b.place && a.rest === b.rest).toBe(one === other);
      }),
      { seed: 3, numRuns: rounds(1_000) },
    );
  });

  it('starts at the first place of its time', () => {
    const time = Date.UTC(2026, 0, 1);
    expect(placeOfID(minIDAt(time))).toEqual({ place: firstPlaceAt(time), rest: 0n });
    expect(firstPlaceAt(-1)).toBe(0n);
    expect(firstPlaceAt(Date.UTC(9999, 0, 1))).toBeLessThan(2n ** 63n);
  });

  it.each([
    ['another version', '019b76da-a800-4000-8000-000000000001'],
    ['another variant', '019b76da-a800-7000-c000-000000000001'],
    ['a time that no clock shows', 'ffffffff-ffff-7000-8000-000000000001'],
    ['upper case', '019B76DA-A800-7000-8000-000000000001'],
    ['something else', 'x'],
  ])('does not exist for %s', (_, id) => {
    expect(placeOfID(id)).toBeUndefined();
  });
});

describe('an id as sixteen bytes', () => {
  it('is converted back to text in SQL', () => {
    const id = '019b76da-a800-7abc-9def-0123456789ab';
    const row = connection
      .prepare(`select ${idOfBytesSql('bytes')} as id from (select unhex(?, '-') as bytes)`)
      .get(id);
    expect({ ...row }).toEqual({ id });
    expect({
      ...connection.prepare(`select ${idOfBytesSql('b')} as id from (select null as b)`).get(),
    }).toEqual({ id: null });
  });
});
