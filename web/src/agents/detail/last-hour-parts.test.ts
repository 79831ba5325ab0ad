import type { Agent } from '@muster/client';
import { expect, it } from 'vitest';
import { type HourPart, lastHourParts } from './last-hour-parts.ts';

const at = (time: string) => `2026-03-04T${time}:00.000Z`;
const now = Date.parse(at('14:09'));
const minutes = (parts: readonly HourPart[]) =>
  parts.map(({ state, milliseconds }) => [state, milliseconds / 60_000]);
const agent = (status: Agent['status'], since: string, createdAt = at('03:00')) => ({
  status,
  statusSince: at(since),
  createdAt,
  openError: status === 'unhealthy' ? openError : null,
});
const openError = {
  id: '',
  groupID: '',
  error: 'it fails',
  createdAt: at('14:02'),
  occurrences: 1,
  lastSeenAt: at('14:02'),
};
const all = (...errors: readonly ReturnType<typeof error>[]) => ({ errors, hasAll: true });
const error = (from: string, to?: string) => ({
  createdAt: at(from),
  dismissedAt: to === undefined ? null : at(to),
});

it('has no open error before the oldest one that is open', () => {
  const parts = lastHourParts(agent('unhealthy', '14:02'), all(error('14:02')), now);
  expect(minutes(parts)).toEqual([
    ['well', 53],
    ['unhealthy', 7],
  ]);
});

it('is what it is for the whole hour', () => {
  expect(minutes(lastHourParts(agent('healthy', '04:00'), all(), now))).toEqual([['healthy', 60]]);
});

it('begins with its registration', () => {
  const parts = lastHourParts(agent('healthy', '14:00', at('14:00')), all(), now);
  expect(minutes(parts)).toEqual([['healthy', 9]]);
});

it('shows an error that was dismissed in between, and does not claim to know what was before', () => {
  const parts = lastHourParts(agent('healthy', '14:00'), all(error('13:30', '13:50')), now);
  expect(minutes(parts)).toEqual([
    ['before', 21],
    ['unhealthy', 20],
    ['before', 10],
    ['healthy', 9],
  ]);
});

it('joins errors that follow each other, and leaves out what was before the hour', () => {
  const errors = all(error('13:19', '14:02'), error('12:50', '13:19'), error('12:00', '12:30'));
  expect(minutes(lastHourParts(agent('unhealthy', '14:02'), errors, now))).toEqual([['unhealthy', 60]]);
});

it('ends with a state that has only begun', () => {
  expect(minutes(lastHourParts(agent('unhealthy', '14:09'), all(error('14:09')), now))).toEqual([
    ['well', 60],
    ['unhealthy', 0],
  ]);
  expect(minutes(lastHourParts(agent('healthy', '14:09', at('14:09')), all(), now))).toEqual([
    ['healthy', 0],
  ]);
});

it('does not claim to know what was before errors that are not read, or before a state without an error', () => {
  const newest = { errors: [error('14:02'), error('13:40', '13:50')], hasAll: false };
  expect(minutes(lastHourParts(agent('unhealthy', '14:02'), newest, now))).toEqual([
    ['before', 31],
    ['unhealthy', 10],
    ['well', 12],
    ['unhealthy', 7],
  ]);
  const byHeartbeat = { ...agent('unhealthy', '14:02'), openError: null };
  expect(minutes(lastHourParts(byHeartbeat, all(), now))).toEqual([
    ['before', 53],
    ['unhealthy', 7],
  ]);
});
