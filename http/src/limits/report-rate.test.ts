import { describe, expect, it } from 'vitest';
import { Refusal } from '../refusal.ts';
import { ReportRate, ReportRates, takeReports } from './report-rate.ts';

function accepts(rates: readonly ReportRate[], reports: number, now: number): boolean {
  try {
    takeReports(rates, reports, now);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'too_many_reports_of_token') return false;
    throw error;
  }
  return true;
}

describe('takeReports', () => {
  it('accepts one second of reports at once, and then as many as the limit says', () => {
    const rates = [new ReportRate('token', 4)];
    let accepted = 0;
    for (let now = 0; now < 10_000; now += 10) if (accepts(rates, 1, now)) accepted += 1;
    expect(accepted).toBe(4 + 4 * 10 - 1);
  });

  it('accepts reports that come together, and waits for what they exceed the limit by', () => {
    const rates = [new ReportRate('token', 10)];
    expect(accepts(rates, 50, 0)).toBe(true);
    expect([accepts(rates, 1, 1), accepts(rates, 1, 4_099), accepts(rates, 1, 4_100)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('says when to come back', () => {
    const rates = [new ReportRate('token', 1)];
    takeReports(rates, 5, 0);
    expect(() => takeReports(rates, 1, 0)).toThrow(expect.objectContaining({ retryAfterSeconds: 5 }));
  });

  it('takes from all limits or from none', () => {
    const [one, other] = [new ReportRate('one', 1), new ReportRate('other', 100)];
    expect(accepts([one, other], 1, 0)).toBe(true);
    for (let time = 0; time < 500; time += 1) expect(accepts([one, other], 1, 1)).toBe(false);
    expect(accepts([other], 99, 1)).toBe(true);
  });
});

describe('ReportRates', () => {
  it('keeps the count of a token whose credential is read again, with its new limit', () => {
    const rates = new ReportRates();
    expect(accepts([rates.of('token', 1)], 1, 0)).toBe(true);
    expect(accepts([rates.of('token', 1)], 1, 0)).toBe(false);
    expect(rates.of('token', 2)).toBe(rates.of('token', 2));
  });
});
