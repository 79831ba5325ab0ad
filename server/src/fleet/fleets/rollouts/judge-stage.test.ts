import { describe, expect, it } from 'vitest';
import { judgeStage, settlingMilliseconds } from './judge-stage.ts';
import type { FirstTimes, GroupCounts, StageEvidence } from './stage-evidence.ts';

const minute = 60_000;
const now = 100 * minute;
const nobody: GroupCounts = { stage: 0, earlier: 0, control: 0 };
const twice = (at: number): FirstTimes => ({ stage: [at, at], earlier: [at, at] });

describe('a hard failure', () => {
  const rejected = (count: number, isOfStage = true) =>
    Array.from({ length: count }, (_, index) => ({
      agentID: `a${index}`,
      kind: 'rejected' as const,
      isOfStage,
    }));

  it('of a single agent stops a rollout that has reached up to 20 agents, at once', () => {
    expect(judge({ running: { stage: 15, earlier: 5, control: 80 }, hardFailures: rejected(1) })).toEqual({
      kind: 'stop',
      reason: { rule: 'hard_failures', failures: rejected(1), lost: 0 },
    });
  });

  it.each([
    [21, 1, 'stop'],
    [49, 1, 'stop'],
    [50, 1, 'wait'],
    [50, 2, 'stop'],
    [1000, 20, 'wait'],
    [1000, 21, 'stop'],
  ])('of up to 2 %% of more agents is allowed: of %i agents %i: %s', (stage, failures, kind) => {
    expect(
      judge({ running: { stage, earlier: 0, control: 80 }, hardFailures: rejected(failures) }).kind,
    ).toBe(kind);
  });

  it('on more than 2 % of the running stage is not made up for by large earlier stages, but one may be chance', () => {
    const running = { stage: 80, earlier: 900, control: 20 };
    expect(judge({ running, agents: 80, hardFailures: rejected(1) }).kind).toBe('wait');
    expect(judge({ running, agents: 80, hardFailures: rejected(2) })).toEqual({
      kind: 'stop',
      reason: { rule: 'hard_failures', failures: rejected(2), lost: 0 },
    });
    expect(judge({ running, agents: 80, hardFailures: rejected(19, false) }).kind).toBe('wait');
    expect(judge({ running, agents: 80, lost: { stage: 2, earlier: 0, control: 0 } }).kind).toBe('stop');
    expect(judge({ running, agents: 80, lost: { stage: 2, earlier: 10, control: 0 } }).kind).toBe('wait');
  });

  it('is none if one of a small later stage falls silent, as others do', () => {
    const running = { stage: 4, earlier: 6, control: 90 };
    expect(judge({ running, agents: 5, lost: { stage: 1, earlier: 0, control: 6 } }).kind).toBe('wait');
    expect(judge({ running, agents: 5, lost: { stage: 1, earlier: 0, control: 0 } }).kind).toBe('stop');
  });

  it('is also an agent that was never heard again', () => {
    expect(
      judge({ running: { stage: 5, earlier: 0, control: 95 }, lost: { stage: 1, earlier: 0, control: 0 } }),
    ).toEqual({ kind: 'stop', reason: { rule: 'hard_failures', failures: [], lost: 1 } });
  });

  it('is none if the others fall silent alike', () => {
    expect(
      judge({ running: { stage: 5, earlier: 0, control: 95 }, lost: { stage: 2, earlier: 0, control: 40 } })
        .kind,
    ).toBe('wait');
  });

  it.each<[what: string, lost: GroupCounts]>([
    ['updated agents and the others', { stage: 1, earlier: 0, control: 3 }],
    ['agents of this stage and of earlier ones', { stage: 5, earlier: 5, control: 0 }],
  ])('is none if all %s fall silent, so that nobody is left', (_, lost) => {
    expect(judge({ running: nobody, lost }).kind).toBe('wait');
  });
});

describe('a cause that is new', () => {
  const since = (milliseconds: number, newOn: GroupCounts) => [
    { groupID: 'g', newOn, newOnEarlier: newOn.earlier, firstAt: twice(now - milliseconds) },
  ];

  it.each<[what: string, running: GroupCounts, newOn: GroupCounts, kind: string]>([
    [
      'on one of two updated agents',
      { stage: 2, earlier: 0, control: 98 },
      { stage: 1, earlier: 0, control: 0 },
      'stop',
    ],
    ['on one of three', { stage: 3, earlier: 0, control: 97 }, { stage: 1, earlier: 0, control: 0 }, 'wait'],
    ['on two of three', { stage: 3, earlier: 0, control: 97 }, { stage: 2, earlier: 0, control: 0 }, 'stop'],
    [
      'three times as often',
      { stage: 10, earlier: 0, control: 100 },
      { stage: 3, earlier: 0, control: 10 },
      'stop',
    ],
    [
      'less than three times as often',
      { stage: 10, earlier: 0, control: 100 },
      { stage: 3, earlier: 0, control: 11 },
      'wait',
    ],
    ['on everybody', { stage: 10, earlier: 0, control: 90 }, { stage: 10, earlier: 0, control: 90 }, 'wait'],
    [
      'and nobody is left to compare with',
      { stage: 10, earlier: 0, control: 0 },
      { stage: 2, earlier: 0, control: 0 },
      'stop',
    ],
    [
      'on one agent of each of two stages',
      { stage: 10, earlier: 10, control: 80 },
      { stage: 1, earlier: 1, control: 0 },
      'stop',
    ],
    [
      'in the last stage, but not in earlier ones',
      { stage: 50, earlier: 50, control: 0 },
      { stage: 5, earlier: 0, control: 0 },
      'stop',
    ],
    [
      'in the last stage, while one agent stays behind',
      { stage: 50, earlier: 50, control: 1 },
      { stage: 5, earlier: 0, control: 0 },
      'stop',
    ],
    [
      'in the last stage, while one agent that stays behind reports it too',
      { stage: 499, earlier: 500, control: 1 },
      { stage: 70, earlier: 0, control: 1 },
      'stop',
    ],
    [
      'on all of a small stage, behind large ones',
      { stage: 80, earlier: 900, control: 20 },
      { stage: 80, earlier: 0, control: 0 },
      'stop',
    ],
    [
      'on two of a small later stage, as often as by chance',
      { stage: 15, earlier: 85, control: 900 },
      { stage: 2, earlier: 0, control: 40 },
      'wait',
    ],
    [
      'on two of many, which is hardly more than chance',
      { stage: 50, earlier: 50, control: 100 },
      { stage: 2, earlier: 0, control: 0 },
      'wait',
    ],
    [
      'on two of a tenth, and on none of the others',
      { stage: 99, earlier: 1, control: 900 },
      { stage: 2, earlier: 0, control: 0 },
      'stop',
    ],
    [
      'in the last stage as in earlier ones',
      { stage: 50, earlier: 50, control: 0 },
      { stage: 20, earlier: 20, control: 0 },
      'wait',
    ],
  ])('%s', (_, running, newOn, kind) => {
    expect(judge({ running, agents: running.stage, causes: since(settlingMilliseconds, newOn) }).kind).toBe(
      kind,
    );
  });

  it('holds the rollout at once, and stops it when the others had time to meet it too', () => {
    const running = { stage: 10, earlier: 0, control: 90 };
    const newOn = { stage: 2, earlier: 0, control: 0 };
    expect(judge({ running, causes: since(0, newOn) })).toEqual({
      kind: 'hold',
      reason: { rule: 'new_cause', groupID: 'g', agents: 2, of: 10 },
      until: now + settlingMilliseconds,
    });
    expect(judge({ running, causes: since(settlingMilliseconds - 1, newOn) }).kind).toBe('hold');
    expect(judge({ running, causes: since(settlingMilliseconds, newOn) })).toEqual({
      kind: 'stop',
      reason: { rule: 'new_cause', groupID: 'g', agents: 2, of: 10 },
    });
    expect(judge({ running, causes: since(30_000, { ...newOn, control: 18 }) }).kind).toBe('wait');
  });

  it('holds a stage that would pass otherwise', () => {
    expect(
      judge({
        running: { stage: 10, earlier: 0, control: 90 },
        observed: 10,
        causes: since(1000, { stage: 2, earlier: 0, control: 0 }),
      }).kind,
    ).toBe('hold');
  });
});

describe('agents that are worse than before', () => {
  it.each<[what: string, running: GroupCounts, worse: GroupCounts, kind: string]>([
    ['2 of 10', { stage: 10, earlier: 0, control: 90 }, { stage: 2, earlier: 0, control: 0 }, 'stop'],
    ['1 of 5', { stage: 5, earlier: 0, control: 95 }, { stage: 1, earlier: 0, control: 0 }, 'wait'],
    ['10 of 100', { stage: 100, earlier: 0, control: 100 }, { stage: 10, earlier: 0, control: 0 }, 'wait'],
    ['11 of 100', { stage: 100, earlier: 0, control: 100 }, { stage: 11, earlier: 0, control: 0 }, 'stop'],
    ['the others too', { stage: 10, earlier: 0, control: 90 }, { stage: 5, earlier: 0, control: 45 }, 'wait'],
    [
      'the others soon',
      { stage: 10, earlier: 0, control: 90 },
      { stage: 10, earlier: 0, control: 61 },
      'wait',
    ],
    [
      'all of a small stage',
      { stage: 8, earlier: 900, control: 92 },
      { stage: 8, earlier: 0, control: 0 },
      'stop',
    ],
    [
      '2 of a small later stage',
      { stage: 10, earlier: 90, control: 900 },
      { stage: 2, earlier: 0, control: 50 },
      'wait',
    ],
    [
      'some that are silent since',
      { stage: 1, earlier: 0, control: 18 },
      { stage: 9, earlier: 0, control: 72 },
      'wait',
    ],
    ['2 for 3', { stage: 10, earlier: 0, control: 90 }, { stage: 10, earlier: 0, control: 60 }, 'stop'],
    [
      'in the last stage those of earlier ones too',
      { stage: 50, earlier: 50, control: 0 },
      { stage: 50, earlier: 50, control: 0 },
      'wait',
    ],
  ])('%s', (_, running, worse, kind) => {
    expect(judge({ running, worse }).kind).toBe(kind);
  });
});

describe('agents of earlier stages that had something new long ago', () => {
  const running = { stage: 10, earlier: 10, control: 0 };
  const firstAt = { stage: [now - 30_000, now - 20_000], earlier: [now - 120 * minute, now - 110 * minute] };
  const few = { stage: 2, earlier: 0, control: 0 };

  it('do not shorten the time in which a cause in the last stage settles', () => {
    const newOn = { stage: 2, earlier: 2, control: 0 };
    expect(judge({ running, causes: [{ groupID: 'g', newOn, newOnEarlier: 0, firstAt }] })).toEqual({
      kind: 'hold',
      reason: { rule: 'new_cause', groupID: 'g', agents: 2, of: 10 },
      until: now + 40_000,
    });
  });

  it('do not shorten it if each agent of the last stage has another cause', () => {
    expect(judge({ running, worse: few, worseFirstAt: firstAt })).toEqual({
      kind: 'hold',
      reason: { rule: 'unhealthy', agents: 2, of: 10 },
      until: now + 40_000,
    });
  });

  it('are among the first while some agents do not have the version', () => {
    const some = { ...running, control: 180 };
    const newOn = { stage: 2, earlier: 2, control: 0 };
    expect(judge({ running: some, causes: [{ groupID: 'g', newOn, newOnEarlier: 0, firstAt }] }).kind).toBe(
      'stop',
    );
  });
});

it('never says that more agents are worse than have the version: some that were may run it no longer', () => {
  const running = { stage: 6, earlier: 0, control: 90 };
  expect(judge({ running, worse: { stage: 7, earlier: 0, control: 0 } })).toMatchObject({
    reason: { rule: 'unhealthy', agents: 7, of: 7 },
  });
});

it('holds the rollout too, until the others had time to become worse', () => {
  const worse = { stage: 5, earlier: 0, control: 0 };
  expect(judge({ worse, worseFirstAt: { stage: [now - 50_000, now - 40_000], earlier: [] } })).toEqual({
    kind: 'hold',
    reason: { rule: 'unhealthy', agents: 5, of: 10 },
    until: now + 20_000,
  });
});

describe('a stage', () => {
  it.each([
    [9, 10, 'pass'],
    [8, 10, 'wait'],
    [90, 100, 'pass'],
    [89, 100, 'wait'],
    [0, 0, 'wait'],
  ])('with %i observed of %i agents: %s', (observed, agents, kind) => {
    expect(judge({ observed, agents }).kind).toBe(kind);
  });

  it('that is the last one needs 95 %', () => {
    expect(judge({ observed: 94, agents: 100, isLast: true }).kind).toBe('wait');
    expect(judge({ observed: 95, agents: 100, isLast: true })).toEqual({ kind: 'pass' });
  });

  it('never passes by time alone', () => {
    expect(judge({ observed: 7, agents: 12, startedAt: now - 30 * minute })).toEqual({ kind: 'wait' });
    expect(judge({ observed: 7, agents: 12, startedAt: now - 30 * minute - 1 })).toEqual({
      kind: 'pause',
      reason: 'not_enough_evidence',
      observed: 7,
      of: 12,
    });
    expect(judge({ observed: 0, agents: 0, startedAt: 0 }).kind).toBe('pause');
    expect(judge({ observed: 0, agents: 12, isLast: true, startedAt: 0 }).kind).toBe('pause');
  });

  it('that is the last one ends with those that are missing', () => {
    expect(judge({ observed: 7, agents: 12, isLast: true, startedAt: now - 30 * minute - 1 })).toEqual({
      kind: 'pass_with_pending',
      pending: 5,
    });
  });

  it('has the time again in which the service saw nothing', () => {
    const startedAt = now - 35 * minute;
    expect(judge({ observed: 7, agents: 12, startedAt, unseenMilliseconds: 5 * minute }).kind).toBe('wait');
  });

  it('waits for the sites whose reports do not come in', () => {
    expect(judge({ observed: 12, agents: 12, silentSites: ['plant-7'] })).toEqual({ kind: 'wait' });
    expect(judge({ observed: 12, agents: 12, silentSites: ['plant-7'], startedAt: 0 })).toEqual({
      kind: 'pause',
      reason: 'silent_sites',
      observed: 12,
      of: 12,
    });
  });
});

/** Ten agents of a hundred run the version, nothing is wrong, and nothing is observed for long enough. */
function judge({
  observed = 0,
  agents = 10,
  isLast = false,
  startedAt = now - 20 * minute,
  unseenMilliseconds = 0,
  silentSites = [],
  ...rest
}: Partial<StageEvidence> & Partial<StageEvidence['stage']>): ReturnType<typeof judgeStage> {
  return judgeStage({
    now,
    stage: {
      isLast,
      startedAt,
      soakMilliseconds: 10 * minute,
      unseenMilliseconds,
      pacedMilliseconds: 0,
      agents,
      observed,
      silentSites,
    },
    running: { stage: 10, earlier: 0, control: 90 },
    hardFailures: [],
    lost: nobody,
    causes: [],
    worse: nobody,
    worseFirstAt: twice(now - settlingMilliseconds),
    ...rest,
  });
}
