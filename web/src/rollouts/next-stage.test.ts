import { describe, expect, it } from 'vitest';
import { nextStageOf, type RolloutAhead } from './next-stage.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 14, minute)).toISOString();

const running: RolloutAhead = {
  state: 'running',
  stage: 2,
  stages: [
    { agentsCount: 1, soakSeconds: 600 },
    { agentsCount: 100, soakSeconds: 600 },
    { agentsCount: 900, soakSeconds: 600 },
  ],
  stageStartedAt: at(0),
  maxPerMinute: null,
  approval: 'none',
  approvals: [],
  verdict: null,
  despiteFreeze: false,
};
const none = { freeze: null, nextFreeze: null };
const begins = { kind: 'begins', number: 3, at: at(10), freeze: undefined, needsApproval: false };

describe('the next stage of a rollout', () => {
  it('begins when agents of this one have run the version for long enough', () => {
    expect(nextStageOf(running, none)).toEqual(begins);
    expect(nextStageOf(running, undefined)).toEqual(begins);
  });

  it('begins later if agents get the version at a pace', () => {
    // Of 100 agents, the 90th gets it after 8.9 minutes.
    const { at: later } = { at: new Date(Date.parse(at(10)) + 8.9 * 60_000).toISOString() };
    expect(nextStageOf({ ...running, maxPerMinute: 10 }, none)).toEqual({ ...begins, at: later });
  });

  it('waits for the end of a freeze that covers it, and of one that follows at once', () => {
    const freeze = { name: 'night', endsAt: at(30) };
    const nextFreeze = { name: 'launch', startsAt: at(30), endsAt: at(50) };
    const after = (minute: number, name: string) => ({ ...begins, at: at(minute), freeze: name });
    expect(nextStageOf(running, { ...none, freeze })).toEqual(after(30, 'night'));
    expect(nextStageOf(running, { freeze, nextFreeze })).toEqual(after(50, 'launch'));
    expect(nextStageOf(running, { ...none, nextFreeze })).toEqual(begins);
    const covering = { ...nextFreeze, startsAt: at(10) };
    expect(nextStageOf(running, { ...none, nextFreeze: covering })).toEqual(after(50, 'launch'));
    expect(nextStageOf({ ...running, despiteFreeze: true }, { freeze, nextFreeze })).toEqual(begins);
    expect(nextStageOf(running, { ...none, freeze: { ...freeze, endsAt: at(5) } })).toEqual(begins);
    expect(nextStageOf(running, { ...none, freeze: { ...freeze, endsAt: null } })).toBeUndefined();
  });

  it('that waits already says for what', () => {
    const waiting = { ...running, state: 'waiting' } as const;
    const frozen = { rule: 'freeze', stage: 3, freeze: 'night', until: at(40) } as const;
    expect(nextStageOf({ ...waiting, verdict: frozen }, none)).toEqual({
      ...begins,
      at: at(40),
      freeze: 'night',
    });
    expect(nextStageOf({ ...waiting, verdict: { rule: 'approval', stage: 3 } }, none)).toEqual({
      kind: 'awaitsApproval',
      number: 3,
    });
  });

  it('needs an approval that nobody has given yet', () => {
    const approved = {
      stage: 3,
      approvedBy: { kind: 'user', id: 'u', name: 'mira' },
      approvedAt: at(1),
      reason: 'seen',
    } as const;
    const each = { ...running, approval: 'each_stage' } as const;
    expect(nextStageOf(each, none)).toEqual({ ...begins, needsApproval: true });
    expect(nextStageOf({ ...each, approvals: [approved] }, none)).toEqual(begins);
  });

  it('is none in the last stage, and of a rollout that is paused or has ended', () => {
    expect(nextStageOf({ ...running, stage: 3 }, none)).toBeUndefined();
    expect(nextStageOf({ ...running, state: 'paused' }, none)).toBeUndefined();
    expect(nextStageOf({ ...running, state: 'completed' }, none)).toBeUndefined();
  });
});
