import { describe, expect, it } from 'vitest';
import { readAlertsSearch } from './alerts-search.ts';

describe('the address of the alerts', () => {
  it('names the part, and the filters of messages', () => {
    expect(readAlertsSearch({})).toEqual({});
    expect(readAlertsSearch({ section: 'channels', state: 'failed' })).toEqual({ section: 'channels' });
    const messages = { section: 'messages', state: 'failed', channel: 'an-id' };
    expect(readAlertsSearch(messages)).toEqual(messages);
    expect(readAlertsSearch({ section: 'x', state: 7 })).toEqual({});
  });
});
