import { describe, expect, it } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { judgeStage, type StopReason } from './judge-stage.ts';
import { type PlannedStage, planStages } from './plan-stages.ts';
import type { CauseEvidence, FirstTimes, GroupCounts, StageEvidence } from './stage-evidence.ts';

/** What goes wrong in a simulated fleet. */
interface Fault {
  /** Of agents on which the new version does not work. */
  readonly brokenShare?: number;
  /** One agent on which it does not work, whatever its number. */
  readonly brokenHost?: boolean;
  /** How a broken agent shows it. */
  readonly shows?: 'cause' | 'rejected';
  /** A destination fails for everybody at some moment of the rollout. */
  readonly outage?: boolean;
}

interface Outcome {
  readonly end: 'completed' | 'paused' | 'stopped';
  readonly reason?: StopReason;
  readonly stage: number;
  /** Agents that got the version. */
  readonly reached: number;
  /** Agents on which the version does not work. */
  readonly broken: ReadonlySet<string>;
  readonly plan: readonly PlannedStage[];
}

const soakSeconds = 180;
const pollSeconds = 15;
/** In which every agent reports a cause once that nobody expects. */
const noisePeriodSeconds = 20 * 86_400;
const rules = [
  { agents: { count: 1 }, soakSeconds },
  { agents: { percent: 10 }, soakSeconds },
  { agents: { percent: 50 }, soakSeconds },
  { agents: { percent: 100 }, soakSeconds },
];
const all = 500;

describe('500 simulated rollouts', () => {
  it.each<[what: string, fault: Fault]>([
    ['all goes on as before', {}],
    ['a destination fails for everybody', { outage: true }],
  ])('of a version that works complete when %s, but for a chance of the first agent', (_, fault) => {
    const outcomes = simulateMany(fault);
    for (const { reason, stage } of outcomes)
      if (reason !== undefined) expect([isChance(reason), stage]).toEqual([true, 0]);
    expect(endsOf(outcomes).completed).toBeGreaterThanOrEqual(outcomes.length * 0.99);
  });

  it.each<[what: string, fault: Fault]>([
    ['works nowhere', { brokenShare: 1 }],
    ['is rejected everywhere', { brokenShare: 1, shows: 'rejected' }],
  ])('of a version that %s reach one agent', (_, fault) => {
    const outcomes = simulateMany(fault);
    expect(endsOf(outcomes)).toEqual({ stopped: rounds(all) });
    expect(Math.max(...outcomes.map(({ reached }) => reached))).toBe(1);
  });

  it('of a version that works on 70 % of the agents stop in the second stage', () => {
    const outcomes = simulateMany({ brokenShare: 0.3 });
    expect(endsOf(outcomes)).toEqual({ stopped: rounds(all) });
    // Of the twenty agents of the first two stages, it may fail on one alone.
    for (const { stage, plan, broken } of outcomes) {
      const first = plan.slice(0, 2).flatMap(({ agentIDs }) => agentIDs);
      expect(stage).toBeLessThanOrEqual(first.filter((id) => broken.has(id)).length > 1 ? 1 : 2);
    }
  });

  it('of a version that works on 98 % of the agents stop before the last stage', () => {
    const outcomes = simulateMany({ brokenShare: 0.02 }, 1000);
    expect(endsOf(outcomes)).toEqual({ stopped: outcomes.length });
    // Half of the agents come in the last stage. Before, five of a half have to show it, so that it is hardly chance.
    for (const { stage, plan, broken } of outcomes) {
      const before = plan.slice(0, 3).flatMap(({ agentIDs }) => agentIDs);
      expect(stage).toBeLessThanOrEqual(before.filter((id) => broken.has(id)).length > 4 ? 2 : 3);
    }
  });

  it('of a version that fails on one host stop only if that host is among the first', () => {
    for (const { end, stage } of simulateMany({ brokenHost: true }))
      expect([end, stage === 0]).toEqual(end === 'stopped' ? ['stopped', true] : ['completed', false]);
  });

  it.each<[Fault]>([[{}], [{ brokenShare: 1 }], [{ brokenShare: 0.3 }], [{ outage: true }]])(
    'with %j never reach beyond their stage',
    (fault) => {
      for (const { reached, plan, stage } of simulateMany(fault)) {
        const allowed = plan.slice(0, stage + 1).reduce((sum, { agentIDs }) => sum + agentIDs.length, 0);
        expect(reached).toBeLessThanOrEqual(allowed);
      }
    },
  );
});

function endsOf(outcomes: readonly Outcome[]): Record<string, number> {
  const ends: Record<string, number> = {};
  for (const { end } of outcomes) ends[end] = (ends[end] ?? 0) + 1;
  return ends;
}

/** Something that every agent reports now and then. */
function isChance(reason: StopReason): boolean {
  return reason.rule === 'new_cause' && reason.groupID.startsWith('noise');
}

function simulateMany(fault: Fault, agents = 200): Outcome[] {
  const count = agents > 200 ? Math.ceil(rounds(all) / 5) : rounds(all);
  return Array.from({ length: count }, (_, seed) => simulate(fault, agents, seed + 1));
}

interface SimulatedAgent {
  readonly id: string;
  stage: number;
  readonly isBroken: boolean;
  readonly pollsAt: number;
  appliedAt: number | undefined;
  rejectedAt: number | undefined;
  /** When it reports which cause; other causes than that of the version come to every agent. */
  readonly reports: Map<string, number>;
  readonly meetsOutageAfter: number;
}

/** Lives second by second, five at a time. */
function simulate(fault: Fault, count: number, seed: number): Outcome {
  const random = randomFrom(seed);
  const ids = Array.from({ length: count }, (_, index) => `agent-${index}`);
  const plan = planStages(
    `rollout-${seed}`,
    rules,
    ids.map((agentID) => ({
      agentID,
      name: agentID,
      tags: [],
      site: undefined,
      isAlive: true,
      isShared: false,
    })),
  );
  const brokenHost = fault.brokenHost === true ? ids[Math.floor(random() * count)] : undefined;
  const stageOf = new Map(plan.flatMap(({ agentIDs }, stage) => agentIDs.map((id) => [id, stage])));
  const outageAt = fault.outage === true ? random() * 4 * soakSeconds : Number.POSITIVE_INFINITY;
  const agents = ids.map(
    (id): SimulatedAgent => ({
      id,
      stage: stageOf.get(id) ?? 0,
      isBroken: id === brokenHost || random() < (fault.brokenShare ?? 0),
      pollsAt: Math.floor(random() * pollSeconds),
      appliedAt: undefined,
      rejectedAt: undefined,
      reports: new Map([[`noise-${Math.floor(random() * 30)}`, random() * noisePeriodSeconds]]),
      meetsOutageAfter: -20 * Math.log(1 - random()),
    }),
  );
  let [stage, stageAt, isHeld] = [0, 0, false];
  for (let now = 0; now < 24 * 3600; now += 5) {
    for (const agent of agents) live(agent, { now, stage, isHeld, outageAt, fault, random });
    const verdict = judgeStage(
      evidenceOf(agents, { now, stage, stageAt, isLast: stage === plan.length - 1 }),
    );
    isHeld = verdict.kind === 'hold';
    const isOver = verdict.kind === 'pass' && stage === plan.length - 1;
    if (
      verdict.kind === 'stop' ||
      verdict.kind === 'pause' ||
      verdict.kind === 'pass_with_pending' ||
      isOver
    ) {
      const reached = agents.filter(({ appliedAt, rejectedAt }) => (appliedAt ?? rejectedAt) !== undefined);
      return {
        ...(verdict.kind === 'stop' && { reason: verdict.reason }),
        end: verdict.kind === 'stop' ? 'stopped' : verdict.kind === 'pause' ? 'paused' : 'completed',
        stage,
        reached: reached.length,
        broken: new Set(agents.filter(({ isBroken }) => isBroken).map(({ id }) => id)),
        plan,
      };
    }
    if (verdict.kind === 'pass') [stage, stageAt] = [stage + 1, now];
  }
  throw new Error('The rollout did not end within a day.');
}

interface Moment {
  readonly now: number;
  readonly stage: number;
  readonly isHeld: boolean;
  readonly outageAt: number;
  readonly fault: Fault;
  readonly random: () => number;
}

function live(agent: SimulatedAgent, { now, stage, isHeld, outageAt, fault, random }: Moment): void {
  const polls = now % pollSeconds <= agent.pollsAt && agent.pollsAt < (now % pollSeconds) + 5;
  const isUpdated = agent.appliedAt !== undefined || agent.rejectedAt !== undefined;
  if (polls && !isUpdated && !isHeld && agent.stage <= stage) {
    if (agent.isBroken && fault.shows === 'rejected') agent.rejectedAt = now + 75;
    else agent.appliedAt = now + 6;
    if (agent.isBroken && fault.shows !== 'rejected') agent.reports.set('broken', now + 6 + random() * 90);
  }
  // An agent that was just updated has its output tried at once.
  const delay = isUpdated ? agent.meetsOutageAfter / 4 : agent.meetsOutageAfter;
  if (now >= outageAt + delay && !agent.reports.has('outage')) agent.reports.set('outage', now);
}

function evidenceOf(
  agents: readonly SimulatedAgent[],
  at: { readonly now: number; readonly stage: number; readonly stageAt: number; readonly isLast: boolean },
): StageEvidence {
  const updated = agents.filter(({ appliedAt }) => appliedAt !== undefined && appliedAt <= at.now);
  const groupOf = (agent: SimulatedAgent): keyof GroupCounts =>
    agent.appliedAt === undefined || agent.appliedAt > at.now
      ? 'control'
      : agent.stage === at.stage
        ? 'stage'
        : 'earlier';
  const running = { stage: 0, earlier: 0, control: 0 };
  const worse = { ...running };
  const worseFirstAt: Times = { stage: [], earlier: [] };
  const causes = new Map<string, CountedCause>();
  for (const agent of agents) {
    const group = groupOf(agent);
    running[group] += 1;
    const worseAt: number[] = [];
    for (const [groupID, reportedAt] of agent.reports) {
      if (reportedAt > at.now) continue;
      // An agent that runs the version before is a control since the rollout began.
      const appliedAt = group === 'control' ? 0 : (agent.appliedAt ?? 0);
      if (reportedAt >= Math.max(at.stageAt, appliedAt)) worseAt.push(reportedAt * 1000);
      if (reportedAt < appliedAt) continue;
      const cause = causes.get(groupID) ?? {
        groupID,
        newOn: { stage: 0, earlier: 0, control: 0 },
        newOnEarlier: 0,
        firstAt: { stage: [], earlier: [] },
      };
      cause.newOn[group] += 1;
      if (group === 'earlier' && reportedAt >= at.stageAt) cause.newOnEarlier += 1;
      if (group !== 'control') cause.firstAt[group].push(reportedAt * 1000);
      causes.set(groupID, cause);
    }
    if (worseAt.length > 0) worse[group] += 1;
    if (worseAt.length > 0 && group !== 'control') worseFirstAt[group].push(Math.min(...worseAt));
  }
  const inStage = agents.filter(({ stage }) => stage === at.stage);
  return {
    now: at.now * 1000,
    stage: {
      isLast: at.isLast,
      startedAt: at.stageAt * 1000,
      soakMilliseconds: soakSeconds * 1000,
      unseenMilliseconds: 0,
      pacedMilliseconds: 0,
      agents: inStage.length,
      observed: updated.filter(
        ({ stage, appliedAt }) => stage === at.stage && (appliedAt ?? 0) + soakSeconds <= at.now,
      ).length,
      silentSites: [],
    },
    running,
    hardFailures: agents.flatMap(({ id, stage, rejectedAt }) =>
      rejectedAt !== undefined && rejectedAt <= at.now
        ? [{ agentID: id, kind: 'rejected' as const, isOfStage: stage === at.stage }]
        : [],
    ),
    lost: { stage: 0, earlier: 0, control: 0 },
    causes: [...causes.values()].map((cause) => ({ ...cause, firstAt: sorted(cause.firstAt) })),
    worse,
    worseFirstAt: sorted(worseFirstAt),
  };
}

interface Times {
  readonly stage: number[];
  readonly earlier: number[];
}

function sorted({ stage, earlier }: Times): FirstTimes {
  const inOrder = (times: readonly number[]) => times.toSorted((one, other) => one - other);
  return { stage: inOrder(stage), earlier: inOrder(earlier) };
}

interface CountedCause extends CauseEvidence {
  readonly firstAt: Times;
  readonly newOn: { -readonly [Group in keyof GroupCounts]: number };
  newOnEarlier: number;
}

/** The same numbers for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
