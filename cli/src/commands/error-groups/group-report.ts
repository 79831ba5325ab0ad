import type { AgentErrorGroup, AgentErrorGroupAgent } from '@muster/client';
import { type Change, countOf, numberOf, portQuestionOf, quoteForShell } from '@muster/contract';
import { type ClientFlags, type CommandContext, repeatedFlags } from '../../client-command.ts';
import type { Connection } from '../../connection/connect.ts';
import { readFleetNames } from '../../connection/fleet-names.ts';
import { formatExplanation, formatSteps, ofError } from '../../output/explanation-text.ts';
import { formatDiffLines } from '../../output/format-diff.ts';
import { printable } from '../../output/printable.ts';
import type { Format, View } from '../../output/printer.ts';
import { shortID } from '../../output/short-id.ts';
import { sparkline } from '../../output/sparkline.ts';
import { createTones } from '../../output/tones.ts';
import { widthOf } from '../../terminal/terminal.ts';
import { findOrigin, type Origin } from './find-origin.ts';
import { groupAgentView, groupView } from './group-view.ts';

/** Agents of a group that are shown. */
const maxAgents = 10;

/** Lines of a change that are shown. muster agent diff shows all. */
const maxChangedLines = 20;

/** Prints a group with its history, what is known about its cause, and its agents. */
export async function printGroup(
  context: CommandContext,
  group: AgentErrorGroup,
  flags: ClientFlags,
): Promise<void> {
  const { connection, printer, terminal } = context;
  if (printer.isForScript) return printer.one(group, groupView);
  const { listAgentErrorGroupAgents } = await import('@muster/client');
  const query = { agentErrorGroupID: group.id, last: maxAgents };
  const [history, origin, agents] = await Promise.all([
    describeHistory(context, group),
    findOrigin(connection, group),
    listAgentErrorGroupAgents(connection.client, query).first(),
  ]);
  const view: View<AgentErrorGroup> = {
    ...groupView,
    details: (one, format) => [
      ...groupView.details(one, format),
      ['first config', describeFirstConfig(one, origin, format)],
      ['back with', one.regressedAt === null ? undefined : origin && describeOrigin(origin, format)],
      ['who has it', origin && describeSpread(origin)],
      ['history', history],
    ],
  };
  printer.one(group, view);
  const affected = await findAffected(connection, group, origin, agents.items);
  const error = affected?.error ?? group.example;
  if (origin?.change !== undefined) {
    const on = affected?.name ?? origin.agentName;
    printer.raw(await formatChange(context, { ...group, example: error }, origin, origin.change, on));
  }
  if (group.explanation !== null) {
    const { strong } = createTones(terminal);
    printer.raw(
      `\n${formatExplanation(ofError(group.explanation, error), widthOf(terminal.stdout), strong, headingOf(origin, affected))}`,
    );
  }
  if (agents.items.length > 0) printer.raw('\n');
  const names = await readFleetNames(
    connection,
    agents.items.map(({ fleetID }) => fleetID),
  );
  await printer.all(
    agents.items,
    groupAgentView((id) => names.get(id) ?? id),
  );
  for (const line of describeNext(group, origin, agents.items.length, repeatedFlags(flags)))
    printer.note(line);
}

interface AffectedAgent {
  readonly name: string;
  readonly error: string;
}

/** An agent that has the cause now, the first one if it still does, with what it reports. */
async function findAffected(
  { client }: Pick<Connection, 'client'>,
  { id, agentsCount, example }: AgentErrorGroup,
  origin: Origin | undefined,
  agents: readonly AgentErrorGroupAgent[],
): Promise<AffectedAgent | undefined> {
  const affected = agents.flatMap(({ openError, ...agent }) =>
    openError === null ? [] : [{ ...agent, error: openError.error }],
  );
  const first = affected.find((agent) => agent.id === origin?.agentID);
  if (first !== undefined || affected.length === 0) return first;
  if (origin?.projectID !== undefined && agents.length < agentsCount) {
    const { listProjectErrors } = await import('@muster/client');
    const query = { group_id: id, agent_id: origin.agentID, dismissed: false, current: true, last: 1 };
    const { items } = await listProjectErrors(client, { projectID: origin.projectID, ...query }).first();
    if (items[0] !== undefined) return { name: origin.agentName, error: items[0].error };
  }
  // What changed a configuration is no advice for an agent without one.
  const configured = affected.filter(({ configID }) => configID !== null);
  const candidates = configured.length === 0 ? affected : configured;
  return candidates.find(({ error }) => error === example) ?? candidates[0];
}

/** Over what to do about errors like it. */
function headingOf(origin: Origin | undefined, affected: AffectedAgent | undefined): string | undefined {
  if (origin?.change !== undefined) return 'If it is something else:';
  return origin?.isGone === true && affected !== undefined
    ? `What to do on ${printable(affected.name)}, which has it now:`
    : undefined;
}

/** As on the dashboard: `116 of 116 agents with release 42; 1 of 384 others`. */
function describeSpread({ label, change, spread }: Origin): string | undefined {
  const { affectedCount, affectedConfiguredCount, configuredCount, agentsCount } = spread;
  if (change === undefined || configuredCount === 0) return undefined;
  const othersAffected = affectedCount - affectedConfiguredCount;
  // Tools that write each host's name or address into its configuration make each text another one.
  if (othersAffected > affectedConfiguredCount) return 'most with another configuration than the first agent';
  const others = agentsCount - configuredCount;
  const beside = others === 0 ? '' : `; ${numberOf(othersAffected)} of ${countOf(others, 'other')}`;
  return `${numberOf(affectedConfiguredCount)} of ${countOf(configuredCount, 'agent')} with ${label ?? change.name}${beside}`;
}

const closesItself = 'The cause closes by itself when its agents run another configuration without it.';

/** The lines that changed before the cause began, and what to do about it: the steps of the dashboard. */
async function formatChange(
  { terminal }: CommandContext,
  { example, regressedAt }: AgentErrorGroup,
  { label, agentName, configID }: Origin,
  change: Change,
  /** An agent that has it now. */
  affectedName: string,
): Promise<string> {
  const name = label ?? change.name;
  const lines = change.lines.flatMap(({ kind, text }) =>
    kind === 'added' ? [`+${text}`] : kind === 'removed' ? [`-${text}`] : [],
  );
  const shown = await formatDiffLines(lines.slice(0, maxChangedLines), terminal);
  const left = lines.length - shown.length;
  const question = portQuestionOf(example, change);
  const steps = [
    question && `Run \`${question.command}\` on ${affectedName}.`,
    question?.before &&
      `If it is refused, run \`${question.before.command}\`, with the port that stood there before ${name}.`,
    question?.before === undefined
      ? `${regressedAt === null ? 'All of this began' : 'It came back'} with ${name}: put back what was before it. ${closesItself}`
      : `If that answers, put back what was before ${name}. ${closesItself}`,
  ];
  return [
    `\nWhat changed: ${printable(label === undefined ? name : `${label} ${shortID(configID)}`)}, first on ${printable(agentName)}\n\n`,
    ...shown.map((line) => `  ${line}\n`),
    left > 0 ? `  … and ${countOf(left, 'line')} more\n` : '',
    '\nWhat to do:\n',
    formatSteps(steps.filter((step) => step !== undefined).map(printable), widthOf(terminal.stdout)),
  ].join('');
}

function describeFirstConfig(
  { firstConfigID, regressedAt }: AgentErrorGroup,
  origin: Origin | undefined,
  format: Format,
): string | undefined {
  if (firstConfigID === null) return undefined;
  const isOrigin = regressedAt === null || origin?.configID === firstConfigID;
  return origin === undefined || !isOrigin ? format.id(firstConfigID) : describeOrigin(origin, format);
}

/** `version 42 of us-east-1 8d39c202, first on web-1` */
function describeOrigin({ label, configID, agentName, isGone }: Origin, { id }: Format): string {
  const now = isGone ? '; no agent that has the cause now runs it' : '';
  return `${label === undefined ? '' : `${label} `}${id(configID)}, first on ${agentName}${now}`;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Histories, by the age of a group up to which they are used. Each has about 30 bars. */
const histories = [
  { maxAge: 30 * minute, bucket: 'minute', together: 1, bars: 30, period: 'last 30 min', unit: 'a minute' },
  { maxAge: hour, bucket: 'minute', together: 2, bars: 30, period: 'last hour', unit: 'in 2 min' },
  { maxAge: day, bucket: 'hour', together: 1, bars: 24, period: 'last 24 h', unit: 'an hour' },
  {
    maxAge: Number.POSITIVE_INFINITY,
    bucket: 'day',
    together: 1,
    bars: 30,
    period: 'last 30 d',
    unit: 'a day',
  },
] as const;

/** Bars of the errors that were created since about the first one; undefined if that was too long ago. */
async function describeHistory(
  { connection: { client }, terminal }: CommandContext,
  { id, firstSeenAt }: AgentErrorGroup,
): Promise<string | undefined> {
  const { getAgentErrorGroupHistory } = await import('@muster/client');
  const age = terminal.now() - Date.parse(firstSeenAt);
  const history = histories.find(({ maxAge }) => age < maxAge) ?? histories[3];
  const { bucket, together, bars, period, unit } = history;
  const { buckets } = await getAgentErrorGroupHistory(client, { agentErrorGroupID: id, bucket });
  const shown = buckets.slice(-bars * together);
  const counts = Array.from({ length: Math.ceil(shown.length / together) }, (_, index) =>
    shown
      .slice(index * together, (index + 1) * together)
      .reduce((total, { errorsCount }) => total + errorsCount, 0),
  );
  const largest = Math.max(...counts);
  return largest === 0 ? undefined : `|${sparkline(counts)}| ${period}, up to ${numberOf(largest)} ${unit}`;
}

/** What the user may want to do next, each as a command that works when copied. */
function* describeNext(
  { id, agentsCount, errorsByState, regressedAt }: AgentErrorGroup,
  origin: Origin | undefined,
  shown: number,
  repeated: string,
): Generator<string> {
  const group = shortID(id);
  if (shown < agentsCount) {
    yield `These are ${shown} of ${numberOf(agentsCount)} agents. To see all errors, run: muster error list --group ${group} --all${repeated}`;
  }
  if (origin !== undefined) {
    const configuration =
      regressedAt === null ? 'its first configuration' : 'the configuration it came back with';
    yield `To see what ${configuration} changed, run: muster agent diff ${quoteForShell(origin.agentName)} --to ${shortID(origin.configID)}${repeated}`;
  }
  if (errorsByState.current + errorsByState.superseded > 0) {
    yield `To dismiss its errors, run: muster error dismiss --group ${group} --reason TEXT${repeated}`;
  }
}
