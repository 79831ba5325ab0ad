import type { AgentErrorGroup } from '@muster/client';
import { expect, it } from 'vitest';
import { describeMuteEnds, groupView, logPrefix } from './group-view.ts';

const group: AgentErrorGroup = {
  id: '019b76da-a800-8000-8000-000000000001',
  pattern: 'no route to <address>',
  example: 'no route to 10.0.0.1',
  agentsCount: 2,
  agentsShare: 0.5,
  errorsCount: 2,
  occurrences: 3,
  firstSeenAt: '2026-03-02T10:00:00.000Z',
  lastSeenAt: '2026-03-02T10:00:00.000Z',
  firstConfigID: null,
  isNew: true,
  dismissedAt: null,
  regressedAt: null,
  mutedUntil: null,
  muteReason: null,
  mutedBy: null,
  muteEndsWithConfiguration: false,
  muteEndsAtAgentsCount: null,
  assignee: null,
  notedAt: null,
  notedBy: null,
  countedAt: '2026-03-02T10:00:00.000Z',
  note: null,
  link: null,
  errorsByState: { current: 2, superseded: 0, dismissed: 0 },
  storedAgentsCount: 2,
  explanation: null,
};

const format = {
  now: Date.parse('2026-03-02T10:20:30.456Z'),
  id: (id: string) => id,
  time: (at: string | null) => at ?? 'never',
  age: (at: string) => at,
  withoutPrefix: (text: string) => text,
  withCommands: (text: string) => text,
};

function stateOf(change: Partial<AgentErrorGroup>): unknown {
  return groupView.details({ ...group, ...change }, format).find(([name]) => name === 'state')?.[1];
}

it('is new for a day, unless it came back after a dismissal', () => {
  const regressedAt = '2026-03-02T10:05:00.000Z';
  expect(stateOf({})).toBe('new');
  expect(stateOf({ regressedAt })).toBe('regressed');
  expect(stateOf({ regressedAt, mutedUntil: '2026-03-03T10:00:00.000Z' })).toBe('muted, regressed');
  expect(stateOf({ isNew: false })).toBeUndefined();
});

it('says what ends a mute before its time', () => {
  expect(describeMuteEnds(group)).toBe('');
  expect(describeMuteEnds({ ...group, muteEndsWithConfiguration: true, muteEndsAtAgentsCount: 1_400 })).toBe(
    ', or until the next configuration, or until it was on 1,400 agents',
  );
  expect(describeMuteEnds({ ...group, muteEndsAtAgentsCount: 1 })).toBe(', or until it was on 1 agent');
});

it.each([
  ['[<time>] [error] [output:http] no route', '[output:http] no route'],
  ['<time> WARN: slow', 'slow'],
  ['errors of others', 'errors of others'],
])('leaves out the time and the level of a line: %s', (line, rest) => {
  expect(line.replace(logPrefix, '')).toBe(rest);
});
