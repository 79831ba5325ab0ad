import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { judgeStage, settlingMilliseconds } from './judge-stage.ts';
import type { FirstTimes, GroupCounts, StageEvidence } from './stage-evidence.ts';

const now = 10_000_000;
const anyCount = fc.nat(200);
const twice = (at: number): FirstTimes => ({ stage: [at, at], earlier: [at, at] });
const anyCounts: fc.Arbitrary<GroupCounts> = fc.record({
  stage: anyCount,
  earlier: anyCount,
  control: anyCount,
});

/** Failures of a side are some of its agents. */
const anyEvidence: fc.Arbitrary<StageEvidence> = anyCounts.chain((running) => {
  const some: fc.Arbitrary<GroupCounts> = fc.record({
    stage: fc.nat(running.stage),
    earlier: fc.nat(running.earlier),
    control: fc.nat(running.control),
  });
  return fc
    .record({
      newOn: some,
      worse: some,
      lost: some,
      failures: fc.nat(3),
      agents: anyCount,
      observed: anyCount,
      age: fc.nat(200_000),
      isLast: fc.boolean(),
    })
    .map(({ newOn, worse, lost, failures, agents, observed, age, isLast }) => ({
      now,
      stage: {
        isLast,
        startedAt: now - 400_000,
        soakMilliseconds: 120_000,
        unseenMilliseconds: 0,
        pacedMilliseconds: 0,
        agents,
        observed,
        silentSites: [],
      },
      running,
      hardFailures: Array.from({ length: failures }, (_, index) => ({
        agentID: `a${index}`,
        kind: 'rejected' as const,
        isOfStage: true,
      })),
      lost,
      causes: [{ groupID: 'g', newOn, newOnEarlier: newOn.earlier, firstAt: twice(now - age) }],
      worse,
      worseFirstAt: twice(now - age),
    }));
});

describe('the judgement of a stage', () => {
  it('that stops a rollout still does so with one failure more of an updated agent', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        fc.pre(judgeStage(evidence).kind === 'stop');
        const { hardFailures, causes, running, lost } = evidence;
        const [cause] = causes;
        const more = cause !== undefined && cause.newOn.stage < running.stage;
        const variants: StageEvidence[] = [
          {
            ...evidence,
            hardFailures: [...hardFailures, { agentID: 'more', kind: 'crashed', isOfStage: true }],
          },
          ...(more
            ? [
                {
                  ...evidence,
                  causes: [{ ...cause, newOn: { ...cause.newOn, stage: cause.newOn.stage + 1 } }],
                },
              ]
            : []),
          ...(lost.stage < running.stage ? [{ ...evidence, lost: { ...lost, stage: lost.stage + 1 } }] : []),
        ];
        for (const variant of variants) expect(judgeStage(variant).kind).toBe('stop');
      }),
      { numRuns: rounds(5000) },
    );
  });

  it('that stops a last stage still does so with a few agents that stay behind, whatever they report', () => {
    const lastStage = fc.record({
      stage: fc.integer({ min: 100, max: 500 }),
      earlier: fc.integer({ min: 300, max: 900 }),
      share: fc.double({ min: 0.15, max: 1, noNaN: true }),
      behind: fc.nat(3),
      reporting: fc.nat(3),
    });
    fc.assert(
      fc.property(anyEvidence, lastStage, (any, { stage, earlier, share, behind, reporting }) => {
        const affected = {
          stage: Math.ceil(stage * share),
          earlier: 0,
          control: Math.min(behind, reporting),
        };
        const { kind } = judgeStage({
          ...any,
          running: { stage, earlier, control: behind },
          hardFailures: [],
          lost: { stage: 0, earlier: 0, control: 0 },
          worse: affected,
          worseFirstAt: twice(0),
          causes: [{ groupID: 'g', newOn: affected, newOnEarlier: 0, firstAt: twice(0) }],
        });
        expect(kind).toBe('stop');
      }),
      { numRuns: rounds(5000) },
    );
  });

  it('never stops or holds a rollout for what hits updated agents and the others alike', () => {
    const alike = fc.record({
      size: fc.integer({ min: 1, max: 200 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      hasControls: fc.boolean(),
    });
    fc.assert(
      fc.property(anyEvidence, alike, (evidence, { size, share, hasControls }) => {
        const hit = Math.floor(size * share);
        const ofEach = (count: number): GroupCounts => ({
          stage: count,
          earlier: count,
          control: hasControls ? count : 0,
        });
        const [running, affected] = [ofEach(size), ofEach(hit)];
        const { kind } = judgeStage({
          ...evidence,
          running,
          hardFailures: [],
          lost: affected,
          worse: affected,
          causes: [{ groupID: 'g', newOn: affected, newOnEarlier: hit, firstAt: twice(0) }],
          worseFirstAt: twice(0),
        });
        expect(['pass', 'pass_with_pending', 'pause', 'wait']).toContain(kind);
      }),
      { numRuns: rounds(5000) },
    );
  });

  it('never stops a rollout if updated agents and the others fall silent alike, up to the last one', () => {
    const alike = fc.record({
      size: fc.integer({ min: 1, max: 200 }),
      lostShare: fc.double({ min: 0, max: 1, noNaN: true }),
      hasControls: fc.boolean(),
    });
    fc.assert(
      fc.property(anyEvidence, alike, (evidence, { size, lostShare, hasControls }) => {
        const gone = Math.ceil(size * lostShare);
        const ofEach = (count: number): GroupCounts => ({
          stage: count,
          earlier: count,
          control: hasControls ? count : 0,
        });
        const { kind } = judgeStage({
          ...evidence,
          running: ofEach(size - gone),
          lost: ofEach(gone),
          hardFailures: [],
          causes: [],
          worse: ofEach(0),
          worseFirstAt: { stage: [], earlier: [] },
        });
        expect(['pass', 'pass_with_pending', 'pause', 'wait']).toContain(kind);
      }),
      { numRuns: rounds(1000) },
    );
  });

  it('never lets a stage pass in which nobody was watched, or while something is suspected', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        const { kind } = judgeStage(evidence);
        fc.pre(kind === 'pass');
        expect(evidence.stage.observed).toBeGreaterThan(0);
        expect(evidence.hardFailures.length).toBeLessThanOrEqual(
          0.02 * (evidence.running.stage + evidence.running.earlier),
        );
      }),
      { numRuns: rounds(5000) },
    );
  });

  it('that holds a rollout stops it when nothing has changed after the time to settle', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        fc.pre(judgeStage(evidence).kind === 'hold');
        expect(judgeStage({ ...evidence, now: now + settlingMilliseconds }).kind).toBe('stop');
      }),
      { numRuns: rounds(5000) },
    );
  });
});
