import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refusal } from '../../foundation/refusal.ts';
import { RefusedReports } from './report-routes.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('RefusedReports', () => {
  it('logs 100 lines in ten seconds, and then one with the sum', () => {
    const lines: unknown[] = [];
    const log = { info: (...line: unknown[]) => lines.push(line) } as unknown as FastifyBaseLogger; // only used so
    const request = { log, params: { machineID: 'db-01' }, ip: '192.0.2.1' } as unknown as FastifyRequest; // as above
    const refusedReports = new RefusedReports(log);
    const reports = {
      body: [{ error: 'x' }],
      refused: [{ index: 1, refusal: new Refusal('invalid_body') }],
    };
    for (let index = 0; index < 130; index += 1) refusedReports.note(request, reports);
    const own = { machineID: 'db-01', code: 'invalid_body', index: 1, refused: 1, accepted: 1 };
    expect(lines).toEqual(Array.from({ length: 100 }, () => [own, 'reports were refused']));
    vi.advanceTimersByTime(10_000);
    expect(lines.slice(100)).toEqual([
      [
        { count: 30, addresses: { '192.0.2.1': 30 } },
        'more than 100 requests with refused reports came within 10 s: the others are summed up here',
      ],
    ]);
  });
});
