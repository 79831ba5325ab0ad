import type { Rollout } from '@muster/client';
import { countOf, numberOf, suspicionOf, verdictSentence } from '@muster/contract';
import { nameOfActor } from './people-views.ts';
import { plainSentence } from './plain-sentence.ts';
import type { DetailLine, View } from './printer.ts';
import { shortID } from './short-id.ts';
import type { Tone } from './tones.ts';

const tones: Readonly<Record<Rollout['state'], Tone | undefined>> = {
  running: undefined,
  waiting: 'warning',
  paused: 'warning',
  stopped: 'bad',
  reverting: 'bad',
  reverted: 'bad',
  completed: 'good',
  superseded: undefined,
};

export const rolloutView: View<Rollout> = explainedRolloutView(undefined);

/** @param explanation what was wrong with the version, if a cause has stopped the rollout and that is known */
export function explainedRolloutView(explanation: string | undefined): View<Rollout> {
  return {
    id: ({ id }) => id,
    columns: [
      { title: 'ID', cell: ({ id }, format) => format.id(id) },
      { title: 'STATE', cell: describeState, tone: ({ state }) => tones[state] },
      { title: 'FLEET', isFlexible: true, leaveOut: 2, cell: ({ fleetName }) => fleetName },
      { title: 'VERSION', isRightAligned: true, leaveOut: 3, cell: ({ to }) => numberOf(to.number) },
      { title: 'STAGE', leaveOut: 4, cell: ({ stage, stages }) => `${stage} of ${stages.length}` },
      {
        title: 'RUN IT',
        isRightAligned: true,
        leaveOut: 1,
        cell: ({ agentsCount }) => numberOf(agentsCount.applied),
      },
      { title: 'STARTED', leaveOut: 5, cell: ({ startedAt }, { time }) => time(startedAt) },
      {
        title: 'HELD',
        isOptional: true,
        leaveOut: 7,
        cell: ({ heldUntil }, { time }) => (heldUntil === null ? '' : `settled ${time(heldUntil)}`),
        tone: () => 'warning',
      },
      { title: 'REASON', isFlexible: true, leaveOut: 6, cell: ({ reason }) => reason },
    ],
    details: (one, { time, withCommands }) => [
      ['id', one.id],
      ['state', describeState(one), tones[one.state]],
      ['why', withCommands(describeVerdict(one, explanation, time) ?? '') || undefined, tones[one.state]],
      ...holdOf(one, time, withCommands),
      ['version', `${one.from.number} to ${one.to.number}`],
      ['stage', `${one.stage} of ${one.stages.length}`],
      ['stages', one.stages.map(({ agentsCount }) => agentsOf(agentsCount)).join(', then ')],
      ...progressOf(one),
      ['had it', hadIt(one)],
      ['rejected by', one.agentsCount.rejected === 0 ? undefined : agentsOf(one.agentsCount.rejected), 'bad'],
      ['on failure', one.onFailure],
      ['pace', one.maxPerMinute === null ? undefined : `${agentsOf(one.maxPerMinute)} a minute`],
      ['approval', one.approval === 'none' ? undefined : 'before each stage but the first'],
      ...one.approvals.map(({ stage, approvedBy, approvedAt, reason }): [string, string] => [
        'approved',
        `stage ${stage} by ${nameOfActor(approvedBy)}, ${time(approvedAt)}: ${reason}`,
      ]),
      ['reason', one.reason],
      ['fleet', one.fleetName],
      ['started', time(one.startedAt)],
      ['started by', nameOfActor(one.startedBy)],
      ['ended', one.endedAt === null ? undefined : time(one.endedAt)],
      ['project', one.projectID],
    ],
  };
}

/** What a held rollout waits for, until when, and what a person can do meanwhile. */
function holdOf(
  { id, isHeld, heldUntil, evidence, onFailure, from }: Rollout,
  time: (timestamp: string) => string,
  withCommands: (text: string) => string,
): readonly DetailLine[] {
  if (heldUntil === null) return [];
  const suspicion = suspicionOf({ isHeld, evidence });
  const end =
    onFailure === 'revert' ? `gives version ${from.number} back` : 'leaves agents the version that they have';
  return [
    ['held', 'something may have come with the version: nobody further gets it', 'warning'],
    ['suspected', suspicion && withCommands(describeSuspicion(suspicion)), 'warning'],
    ['until', `${time(heldUntil)}: if it is still so, the rollout stops by itself and ${end}`],
    [
      'what to do',
      withCommands(
        `wait and see (muster rollout watch ${shortID(id)}), or go back now: muster rollout revert ${shortID(id)} --reason TEXT`,
      ),
    ],
  ];
}

function describeSuspicion({
  causeID,
  updated,
  updatedOf,
  others,
  othersOf,
}: NonNullable<ReturnType<typeof suspicionOf>>): string {
  const what = causeID === undefined ? 'something new' : 'a new cause';
  const counts = `${numberOf(updated)} of ${agentsOf(updatedOf)} with the version ${updated === 1 ? 'reports' : 'report'} ${what}, and ${numberOf(others)} of ${countOf(othersOf, 'other')}`;
  return causeID === undefined ? counts : `${counts}: muster error get ${shortID(causeID)}`;
}

/** How far its agents are. Once they have the version before again, only who had it says anything. */
function progressOf({ state, agentsCount }: Rollout): readonly DetailLine[] {
  const { offered, applied, observed } = agentsCount;
  if (state === 'reverted') return applied === 0 ? [] : [['still run it', agentsOf(applied)]];
  return [
    ['offered to', agentsOf(offered)],
    ['run it', agentsOf(applied)],
    ['watched long enough', agentsOf(observed)],
  ];
}

function agentsOf(count: number): string {
  return countOf(count, 'agent');
}

/**
 * What a rollout does or why it ended, as the end of a sentence; undefined if that is known from its state.
 *
 * @param explanation what was wrong with the version, if a cause has stopped the rollout and that is known
 */
export function describeVerdict(
  { verdict }: Pick<Rollout, 'verdict'>,
  explanation?: string,
  time: (timestamp: string) => string = (timestamp) => timestamp,
): string | undefined {
  const sentence = verdict && verdictSentence(verdict, explanation);
  return sentence ? plainSentence(sentence, { time }) : verdict?.reason;
}

/** Of one that has ended, since they may have the version before again by now. */
function hadIt({ endedAt, evidence }: Rollout): string | undefined {
  return endedAt === null || evidence === null
    ? undefined
    : agentsOf(Math.max(evidence.updatedCount, evidence.agents.length));
}

function describeState({ state, isHeld }: Rollout): string {
  return isHeld ? `${state}, held` : state;
}
