import { describe, expect, it } from 'vitest';
import { deliveryOf, lagSecondsOf, sortSites, stateOf, trendOf } from './site-state.ts';

const now = Date.UTC(2026, 2, 4, 14, 9);
const ago = (seconds: number) => new Date(now - seconds * 1_000).toISOString();

const site = {
  name: 'plant-7',
  status: 'running' as const,
  lagSeconds: 0,
  lastContactAt: ago(5),
  agentsCount: 3,
};

describe('the state of a site', () => {
  it('is lagging if it runs and something has been waiting for a minute', () => {
    expect(stateOf({ ...site, lagSeconds: 59 })).toBe('running');
    expect(stateOf({ ...site, lagSeconds: 60 })).toBe('lagging');
    expect(stateOf({ status: 'unreachable', lagSeconds: 3_600 })).toBe('unreachable');
    expect(stateOf({ status: 'waiting', lagSeconds: 0 })).toBe('waiting');
  });

  it('is behind since it was last heard, or since what waited then', () => {
    expect(lagSecondsOf({ ...site, lagSeconds: 7 }, now)).toBe(7);
    const silent = { ...site, status: 'unreachable' as const, lastContactAt: ago(1_740) };
    expect(lagSecondsOf(silent, now)).toBe(1_740);
    expect(lagSecondsOf({ ...silent, lagSeconds: 2_000 }, now)).toBe(2_000);
    expect(lagSecondsOf({ ...silent, status: 'waiting', lastContactAt: null }, now)).toBe(0);
  });
});

describe('what arrives from a site', () => {
  const receivedPerMinute = [...Array.from({ length: 56 }, () => 0), 30, 60, 90, 7];

  it('is a trend of whole minutes', () => {
    expect(trendOf({ receivedPerMinute }).slice(-4)).toEqual([0, 30, 60, 90]);
  });

  it('says when nothing more waits, if it goes on like this, unless that is far away', () => {
    const of = (spooledCount: number) => deliveryOf({ receivedPerMinute, spooledCount }, now);
    expect(of(120)).toEqual({ perMinute: 60, doneAt: now + 120_000 });
    expect(of(0)).toEqual({ perMinute: 60, doneAt: undefined });
    expect(of(86_400)).toEqual({ perMinute: 60, doneAt: undefined });
  });

  it('says nothing of the speed of one from which nothing arrives', () => {
    const nothing = receivedPerMinute.map((_, place) => (place === 59 ? 7 : 0));
    expect(deliveryOf({ receivedPerMinute: nothing, spooledCount: 9 }, now)).toBeUndefined();
  });
});

it('sites are sorted by what is worst', () => {
  const sites = [
    { ...site, name: 'lab', status: 'waiting' as const, lastContactAt: null, agentsCount: 0 },
    { ...site, name: 'b-small' },
    { ...site, name: 'a-small' },
    { ...site, name: 'large', agentsCount: 640 },
    { ...site, name: 'lags', lagSeconds: 240 },
    { ...site, name: 'lags-more', lagSeconds: 300 },
    { ...site, name: 'away', status: 'unreachable' as const, lastContactAt: ago(100) },
    { ...site, name: 'away-for-longer', status: 'unreachable' as const, lastContactAt: ago(200) },
  ];
  expect(sortSites(sites, now).map(({ name }) => name)).toEqual([
    'away-for-longer',
    'away',
    'lags-more',
    'lags',
    'large',
    'a-small',
    'b-small',
    'lab',
  ]);
});
