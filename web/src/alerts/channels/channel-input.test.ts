import { describe, expect, it } from 'vitest';
import { createBody, inputOf, updateBody } from './channel-input.ts';

const empty = inputOf(undefined, 'Europe/Berlin');

describe('a channel', () => {
  it('is sent with what its kind needs', () => {
    const url = ' https://hooks.example.com/x ';
    const slack = { ...empty, name: ' on-call ', url, key: 'left over from another kind' };
    expect(createBody(slack)).toEqual({ kind: 'slack', name: 'on-call', url: url.trim(), quietHours: null });
    const mail = {
      ...slack,
      kind: 'mail',
      recipients: 'a@example.com\nb@example.com,',
      isQuiet: true,
    } as const;
    expect(createBody(mail)).toEqual({
      kind: 'mail',
      name: 'on-call',
      recipients: ['a@example.com', 'b@example.com'],
      quietHours: { from: '22:00', until: '07:00', timeZone: 'Europe/Berlin' },
    });
    expect(createBody({ ...slack, kind: 'dashboard' })).toEqual({
      kind: 'dashboard',
      name: 'on-call',
      quietHours: null,
    });
    expect(createBody({ ...slack, kind: 'pagerduty', key: '' })).toBeUndefined();
    expect(createBody({ ...slack, name: ' ' })).toBeUndefined();
  });

  it('keeps its secret if none is given', () => {
    expect(updateBody({ ...empty, name: 'night' })).toEqual({ name: 'night', quietHours: null });
    expect(updateBody({ ...empty, name: 'night', url: 'https://other.example.com' })).toEqual({
      name: 'night',
      url: 'https://other.example.com',
      quietHours: null,
    });
    expect(updateBody(empty)).toBeUndefined();
  });
});
