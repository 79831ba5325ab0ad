import type { Rollout } from '@muster/client';
import type { Access } from './access.ts';
import type { SimulatedAgent } from './agent.ts';
import { type Release, releases } from './configurations.ts';
import { countOf, type Display, formatCount, shortID } from './display.ts';
import type { Fleet } from './fleet.ts';
import type { Pace } from './pace.ts';
import { dismissUnlessDismissed, findRolloutGroup } from './rollout-group.ts';
import { deployRelease, readAlert, readRolloutState, type ServedFleet, tellOfStops } from './served-fleet.ts';
import type { Statistics } from './statistics.ts';

export interface Stage {
  readonly access: Access;
  readonly fleet: Fleet;
  /** Undefined: no agent gets its configuration from Muster. */
  readonly served: ServedFleet | undefined;
  readonly statistics: Statistics;
  readonly display: Display;
  readonly pace: Pace;
  readonly signal: AbortSignal;
}

/** Share of the agents of the rollout that get its mistake once more. */
const regressedShare = 0.04;
/** Within which agents ask for what was just deployed, so that nobody waits for them. */
const askMilliseconds = 1_000;
const lookMilliseconds = 500;
const patienceMilliseconds = 180_000;
const reason = `Fixed by release ${releases.fixed}`;

type Act = (stage: Stage) => Promise<void>;

/** A bad release, what Muster makes of it, its fix and a regression. In each act, it says which commands show what has happened. */
export const story: readonly Act[] = [begin, writeMistake, rollOutFix, rollOutMistakeAgain];

async function begin(stage: Stage): Promise<void> {
  const { fleet, access } = stage;
  await fleet.loseSome();
  await reportOnce(stage);
  const [faulty, silent] = [fleet.withRole('faulty').length, fleet.withRole('silent').length];
  const ended = (['stopped', 'killed', 'crashing'] as const).flatMap((name) => fleet.withRole(name)).length;
  tell(
    stage,
    [
      `1. All agents run release ${releases.working} of their configuration. ${countOf(faulty, 'agent')} reported errors, ${formatCount(ended)} ended,`,
      `   most of them with a failure, and ${formatCount(silent)} went silent and will be offline in 90 s.`,
      '   Look at the agents, in another terminal, in this folder:',
    ],
    [...access.preparation, `${access.command} status`, `${access.command} error groups`],
  );
  await live(stage, `roll out release ${releases.broken}`);
}

async function writeMistake(stage: Stage): Promise<void> {
  const { fleet, access } = stage;
  const agents = fleet.withRole('rollout');
  await rollOut(stage, releases.broken, agents);
  await reportOnce(stage);
  const deployed = await deployMistake(stage);
  const group = await findRolloutGroup(access);
  const happened = `2. A tool has written release ${releases.broken} on ${countOf(agents.length, 'agent')}. Its port is wrong, so they cannot send.`;
  if ('unreadable' in group) {
    tell(stage, [happened, `   The groups of errors cannot be read: ${group.unreadable}`], []);
  } else {
    tell(
      stage,
      [
        happened,
        '   Their messages have different addresses and numbers, and are one group. See how many agents',
        '   are in it, since which configuration, what to do, and what the configuration has changed:',
      ],
      [
        `${access.command} error groups --sort agents`,
        `${access.command} error get ${shortID(group.id)}`,
        `${access.command} agent diff ${agents[0]?.name ?? ''}`,
      ],
    );
  }
  if (deployed === undefined) return live(stage, `roll out release ${releases.fixed}, which is right`);
  await live(stage, 'see what became of it on us-east-1');
  await followRollout(stage, deployed);
}

interface Deployed {
  /** Of the rollout. */
  readonly id: string;
  /** An alert tells when it stops. */
  readonly isTold: boolean;
}

/** The same release through Muster, stage by stage. */
async function deployMistake({ access, fleet, served }: Stage): Promise<Deployed | undefined> {
  if (served === undefined) return undefined;
  const isTold = await tellOfStops(access);
  const id = await deployRelease(access, served, releases.broken);
  fleet.askSoon(askMilliseconds);
  return { id, isTold };
}

/** The rollout stops by itself a minute after two agents have shown that something came with it. */
async function followRollout(stage: Stage, { id, isTold }: Deployed): Promise<void> {
  const { access, fleet, display, served } = stage;
  const name = served?.name ?? '';
  display.line(`   Muster stops it on ${name} when what came with it has lasted for a minute.`);
  const patience = AbortSignal.any([stage.signal, AbortSignal.timeout(patienceMilliseconds)]);
  let state: Rollout['state'] = 'running';
  let alert: string | undefined;
  const isOver = () => state !== 'running' && state !== 'reverting' && (alert !== undefined || !isTold);
  while (!patience.aborted && !isOver()) {
    await fleet.live(AbortSignal.timeout(lookMilliseconds), () => showProgress(stage));
    const before = state;
    state = await readRolloutState(access, id);
    if (state === 'reverting' && before === 'running') fleet.askSoon(askMilliseconds);
    if (isTold && state !== 'running') alert ??= await readAlert(access);
  }
  display.clearBar();
  tell(
    stage,
    [
      state === 'reverted'
        ? `   Muster has stopped release ${releases.broken} on ${name} in its first stage, and its agents are back on release ${releases.working}.`
        : `   The rollout of release ${releases.broken} on ${name} is ${state}.`,
      ...(alert === undefined ? [] : [`   The alert has come: ${alert}`]),
      '   See why. To deploy a version of your own, good or bad, give a file with its configuration:',
    ],
    [
      ...(isTold ? [`${access.command} alert delivery list`] : []),
      `${access.command} rollout get ${shortID(id)}`,
      `${access.command} fleet versions ${name}`,
      `${access.command} rollout list`,
      `${access.command} rollout start ${name} --reason 'A version of my own' --config FILE`,
    ],
  );
  await live(stage, `roll out release ${releases.fixed}, which is right`);
}

async function rollOutFix(stage: Stage): Promise<void> {
  const { fleet, access } = stage;
  const group = await findRolloutGroup(access);
  const agents = fleet.withRole('rollout');
  await rollOut(stage, releases.fixed, agents);
  tell(
    stage,
    [
      `3. Release ${releases.fixed} is right. Its ${countOf(agents.length, 'agent')} are healthy, and the errors before it are superseded.`,
      '   Dismiss them all, and undo it:',
    ],
    'unreadable' in group
      ? []
      : [
          `${access.command} error dismiss --group ${shortID(group.id)} --reason '${reason}'`,
          `${access.command} dismissal list`,
          `${access.command} dismissal undo ID`,
        ],
  );
  await live(stage, `repeat the mistake in release ${releases.brokenAgain}`);
  if (stage.signal.aborted || 'unreadable' in group) return;
  const dismissed = await dismissUnlessDismissed(access, group.id, reason);
  if (dismissed === undefined) return;
  stage.display.line(
    `   ${countOf(dismissed, 'error')} were still open, so the demo dismissed them, as that command does.`,
  );
}

async function rollOutMistakeAgain(stage: Stage): Promise<void> {
  const { fleet, access } = stage;
  const all = fleet.withRole('rollout');
  const agents = all.slice(0, Math.max(1, Math.round(all.length * regressedShare)));
  await rollOut(stage, releases.brokenAgain, agents);
  await reportOnce(stage);
  const group = await findRolloutGroup(access);
  tell(
    stage,
    [
      `4. Release ${releases.brokenAgain} repeats the mistake on ${countOf(agents.length, 'agent')}. The group was dismissed, so this is a regression:`,
    ],
    [
      `${access.command} error groups`,
      ...('unreadable' in group ? [] : [`${access.command} error get ${shortID(group.id)}`]),
      `${access.command} agent list --status offline`,
    ],
  );
  await live(stage, 'end the demo');
}

async function rollOut(stage: Stage, release: Release, agents: readonly SimulatedAgent[]): Promise<void> {
  const { fleet, display } = stage;
  const all = countOf(agents.length, 'agent');
  await fleet.rollOut(release, agents, (done) =>
    display.progress(`Release ${release}`, done / agents.length, `${formatCount(done)} of ${all}`),
  );
}

/** Every agent with an error reports it. */
async function reportOnce(stage: Stage): Promise<void> {
  await stage.fleet.live(AbortSignal.abort(), () => showProgress(stage));
}

async function live(stage: Stage, next: string): Promise<void> {
  const { fleet, pace, display } = stage;
  if (pace.isInteractive) display.line(`   Press Enter to ${next}.`);
  await fleet.live(pace.endOfAct(), () => showProgress(stage));
  display.clearBar();
}

function showProgress({ display, statistics }: Stage): void {
  const { heartbeats, stored, ignored, refusedInAll } = statistics;
  const refused = refusedInAll === 0 ? '' : `, ${formatCount(refusedInAll)} refused`;
  display.progress(
    'Running',
    undefined,
    `${formatCount(heartbeats)} heartbeats, ${formatCount(stored)} errors stored, ${formatCount(ignored)} ignored${refused}`,
  );
}

function tell({ display, signal }: Stage, sentences: readonly string[], commands: readonly string[]): void {
  if (signal.aborted) return;
  display.line();
  for (const sentence of sentences) display.line(sentence);
  if (commands.length === 0) return;
  display.line();
  for (const command of commands) display.line(`     ${command}`);
  display.line();
}
