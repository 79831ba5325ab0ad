import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { readRecords } from './read-records.ts';
import { encodeHeader, encodeRecord, headerBytes, readVersion } from './record-format.ts';

const seed = Number(process.env.MUSTER_TEST_SEED);
const texts = fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { minLength: 1, maxLength: 12 });

/** Read as a file in windows of this many bytes. */
async function read(bytes: Buffer, windowBytes: number) {
  const found: string[] = [];
  const damage = { bytes: 0, stretches: 0 };
  for (let position = 0; position < bytes.length; ) {
    const part = await readRecords(
      async (from, length) => bytes.subarray(from, from + length),
      position,
      bytes.length,
      windowBytes,
    );
    found.push(...part.records.map(({ payload }) => payload.toString()));
    damage.bytes += part.damage.bytes;
    damage.stretches += part.damage.stretches;
    position = part.next;
  }
  return { found, damage };
}

describe('records', () => {
  it('are read as they were written, whatever part of a file is read at a time', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 400 }), async (payloads, windowBytes) => {
        const wellFormed = payloads.map((text) => text.toWellFormed());
        const bytes = Buffer.concat(wellFormed.map((text) => encodeRecord('error', text)));
        expect(await read(bytes, windowBytes)).toEqual({
          found: wellFormed,
          damage: { bytes: 0, stretches: 0 },
        });
      }),
      { seed, numRuns: rounds(500) },
    );
  });

  it('are all read but the one with a wrong byte, wherever it is', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(), fc.integer({ min: 1, max: 255 }), async (payloads, place, change) => {
        const records = payloads.map((text) => encodeRecord('error', text.toWellFormed()));
        const bytes = Buffer.concat(records);
        const wrong = place % bytes.length;
        bytes[wrong] = (bytes[wrong] ?? 0) ^ change;
        let end = 0;
        const hit = records.findIndex((record) => {
          end += record.length;
          return wrong < end;
        });
        expect(await read(bytes, 64)).toEqual({
          found: payloads.filter((_, index) => index !== hit).map((text) => text.toWellFormed()),
          damage: { bytes: records[hit]?.length, stretches: expect.any(Number) },
        });
      }),
      { seed, numRuns: rounds(1_000) },
    );
  });

  it('are all read but the one that was cut off', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(), async (payloads, place) => {
        const records = payloads.map((text) => encodeRecord('state', text.toWellFormed()));
        const last = records.at(-1)?.length ?? 0;
        const whole = Buffer.concat(records);
        const cut = whole.subarray(0, whole.length - 1 - (place % (last - 1)));
        const { found, damage } = await read(cut, 64);
        expect(found).toEqual(payloads.slice(0, -1).map((text) => text.toWellFormed()));
        expect(damage.bytes).toBe(cut.length - (whole.length - last));
      }),
      { seed, numRuns: rounds(500) },
    );
  });

  it('survive bytes that mean nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (noise) => {
        const record = encodeRecord('error', 'kept');
        const { found } = await read(Buffer.concat([noise, record]), 64);
        expect(found).toEqual(['kept']);
      }),
      { seed, numRuns: rounds(500) },
    );
  });
});

describe('the header of a segment', () => {
  it('says the version of its format', () => {
    const header = encodeHeader();
    expect(header).toHaveLength(headerBytes);
    expect(header.toString('latin1')).toBe('MUSTERSPOOL\0\x01\0\0\0');
    expect(readVersion(header)).toBe(1);
    header.writeUInt16LE(7, 12);
    expect(readVersion(header)).toBe(7);
    expect(readVersion(header.fill(0))).toBeUndefined();
    expect(readVersion(Buffer.alloc(3))).toBeUndefined();
  });
});
