import { describe, expect, it } from 'vitest';
import { NumberMasker } from './number-masker.ts';

/** The masked forms of texts that are made from numbers, in the order in which they come. */
function maskedForms(count: number, makeText: (index: number) => string): string[] {
  const masker = new NumberMasker({ maxVariants: 10 });
  return [...new Set(Array.from({ length: count }, (_, index) => masker.mask(makeText(index))))];
}

describe('NumberMasker', () => {
  it('passes ten texts that differ only in numbers, and masks the numbers of further ones', () => {
    const forms = maskedForms(100, (index) => `item ${index} failed`);
    expect(forms).toEqual([
      ...Array.from({ length: 10 }, (_, index) => `item ${index} failed`),
      'item <n> failed',
    ]);
  });

  it.each([
    ['item ID: HTTP status=N', [401, 503], 'item <n>: HTTP status=401'],
    ['item ID: HTTP N received', [401, 503], 'item <n>: HTTP 401 received'],
    ['item ID: N Bad Gateway', [502], 'item <n>: 502 Bad Gateway'],
    ['write ID: errno=N', [28, 24], 'write <n>: errno=28'],
    ['write ID (os error N)', [111, 113], 'write <n> (os error 111)'],
    ['item ID: exit code N', [1, 137], 'item <n>: exit code 1'],
    ['item ID: es.example.com:N', [9200, 9300], 'item <n>: es.example.com:9200'],
    ['item ID: 10.0.0.5:N', [9200, 443], 'item <n>: <n>.<n>.<n>.<n>:9200'],
    ['item ID: port N is in use', [24224, 80], 'item <n>: port 24224 is in use'],
  ])('keeps what says what happened in %j', (text, values, expected) => {
    const forms = maskedForms(200, (index) =>
      text.replace('ID', String(index)).replace('N', String(values[index % values.length])),
    );
    expect(forms.slice(10)).toHaveLength(values.length);
    expect(forms.slice(10)).toContain(expected);
  });

  it('keeps all statuses of HTTP that agents get, in the answers to requests with ids of their own', () => {
    const statuses = [400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 501, 502, 503, 504, 507];
    const forms = maskedForms(
      1_000,
      (index) => `HTTP status=${statuses[index % statuses.length]}\n{"id":${index}}`,
    );
    expect(forms.slice(10)).toEqual(
      expect.arrayContaining(statuses.map((status) => `HTTP status=${status}\n{"id":<n>}`)),
    );
    expect(forms).toHaveLength(10 + statuses.length);
  });

  it('masks ports that clients get at random', () => {
    const forms = maskedForms(1_000, (index) => `no answer from 10.0.0.5:${33_000 + index}`);
    expect(forms.slice(10)).toEqual(['no answer from <n>.<n>.<n>.<n>:<n>']);
  });

  it('masks numbers of a meaning that have too many values', () => {
    const forms = maskedForms(10_000, (index) => `connect 10.0.0.5:${1_000 + index}`);
    expect(forms).toHaveLength(61);
    expect(forms.at(-1)).toBe('connect <n>.<n>.<n>.<n>:<n>');
  });
});
