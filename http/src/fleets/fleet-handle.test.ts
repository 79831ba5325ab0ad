import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fleetNumberOf, isHandleOf, makeHandle } from './fleet-handle.ts';

const fleet = { number: 0xfedcba987654, handleKey: 'ab'.repeat(32) };
const other = { ...fleet, handleKey: 'cd'.repeat(32) };

describe('the id of an agent of a fleet', () => {
  it('is a UUIDv8 with the number of the fleet, and another one each time', () => {
    const ids = Array.from({ length: 100 }, () => makeHandle(fleet, randomBytes));
    for (const id of ids) {
      expect(id).toMatch(/^fedcba98-7654-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(fleetNumberOf(id)).toBe(fleet.number);
      expect(isHandleOf(fleet, id)).toBe(true);
    }
    expect(new Set(ids).size).toBe(100);
  });

  it('is refused if any of its bits was changed, and by a fleet with another key', () => {
    const id = makeHandle(fleet, randomBytes);
    expect(isHandleOf(other, id)).toBe(false);
    for (const [index, digit] of [...id].entries()) {
      if (digit === '-') continue;
      const changed = (Number.parseInt(digit, 16) ^ 1).toString(16);
      expect(isHandleOf(fleet, id.slice(0, index) + changed + id.slice(index + 1))).toBe(false);
    }
  });

  it('is told from the id of a fleet', () => {
    expect(fleetNumberOf('0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d')).toBeUndefined();
    expect(fleetNumberOf('edge')).toBeUndefined();
  });
});
