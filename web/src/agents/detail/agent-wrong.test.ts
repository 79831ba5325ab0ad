import { describe, expect, it } from 'vitest';
import { sentenceOf } from './agent-wrong.ts';

const known = (id: string) => ({
  explanation: { id, title: 'A title', meaning: '', causes: [], actions: [], link: '', suggestion: null },
});
const failing = (error: string) => ({
  status: 'unhealthy' as const,
  openError: { id: 'e', error, groupID: 'g', createdAt: '', occurrences: 1, lastSeenAt: '' },
});

describe('sentenceOf', () => {
  it.each([
    ['fluent-bit/no-upstream', 'no upstream connections available to 10.21.160.1:9', 'cannot reach 10.21.160.1:9'],
    ['fluent-bit/no-upstream', 'no upstream connections available', 'cannot reach its destination'],
    ['fluent-bit/tail-permission', 'read error: /var/log/app/*.log', 'cannot read /var/log/app/*.log'],
    ['fluent-bit/http-401', 'es.example.com:9200, HTTP status=401', 'cannot sign in to its destination (401)'],
    ['fluent-bit/other', 'something else', 'has the error “A title”'],
  ])('says of %s in “%s” that it %s', (id, error, sentence) => {
    expect(sentenceOf(failing(error), known(id))).toBe(sentence);
  }); // biome-ignore format: a row each

  it('says less where less is known', () => {
    expect(sentenceOf(failing('oops'), { explanation: null })).toBe('has this error');
    expect(sentenceOf(failing('oops'), undefined)).toBe('has an open error');
    expect(sentenceOf({ status: 'unhealthy', openError: null }, undefined)).toBe('has failed');
    expect(sentenceOf({ status: 'offline', openError: null }, undefined)).toBe('is not heard');
  });
});
