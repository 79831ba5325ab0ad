import type { AgentErrorGroup, Dismissal, DismissalFilter } from '@muster/client';
import { countOf, numberOf } from '@muster/contract';
import { type ClientFlags, type CommandContext, openContext, repeatedFlags } from '../../client-command.ts';
import { findErrorGroup } from '../../connection/find-agent-errors.ts';
import { chooseProjectID, findAgentID, findFleetOfAgents } from '../../connection/find-resources.ts';
import { dismissalView } from '../../output/dismissal-view.ts';
import { shortID } from '../../output/short-id.ts';
import { confirm } from '../../terminal/prompts.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { waitForDismissal } from '../../watch/wait-for-dismissal.ts';

/** The flags of `muster error dismiss` that select errors. */
export interface DismissMatchingFlags {
  readonly group?: string;
  readonly match?: string;
  readonly agent?: readonly string[];
  readonly fleet?: string;
  readonly all?: boolean;
}

interface Flags extends ClientFlags, DismissMatchingFlags {
  readonly reason: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** True if errors are selected by flags, and not by ids. */
export function selectsByFlags({ group, match, agent, fleet, all }: DismissMatchingFlags): boolean {
  return [group, match, agent, fleet, all].some((flag) => flag !== undefined);
}

/** Younger is: still reported. */
const recentMilliseconds = 60_000;

/** Counts the errors that the flags select, asks, dismisses them, and waits until that is done. */
export async function dismissMatching(terminal: Terminal, flags: Flags): Promise<void> {
  const context = await openContext(terminal, flags);
  const { client } = context.connection;
  const { createDismissal } = await import('@muster/client');
  const projectID = await chooseProjectID(context.connection, flags.project);
  const group =
    flags.group === undefined
      ? undefined
      : await findErrorGroup(context.connection, flags.group, flags.project);
  if (group !== undefined && !context.printer.isForScript) context.printer.note(`Cause: ${group.pattern}`);
  const filter = await toFilter(context, flags, group?.id);
  const body = { reason: flags.reason, filter };
  const preview = await createDismissal(client, { projectID, body: { ...body, dryRun: true } });
  // Lists show only what is not.
  const superseded = Object.keys(filter).length === 1 ? (group?.errorsByState.superseded ?? 0) : 0;
  const ofThem = superseded === 0 ? '' : `, ${numberOf(superseded)} of them superseded`;
  const counted = `${countOf(preview.errorsCount, 'error')} of ${countOf(preview.agentsCount, 'agent')}${ofThem}`;
  if (flags.dryRun === true || preview.errorsCount === 0) {
    const text = preview.errorsCount === 0 ? 'No open error matches.' : `Would dismiss ${counted}.`;
    if (flags.json) context.printer.json(preview);
    else if (!flags.quiet) context.printer.note(text);
    return;
  }
  if (group !== undefined && !context.printer.isForScript && isHappening(group, terminal.now()))
    context.printer.note(
      `It is still reported, so that it comes back with the next report. To mute it instead, run: muster error mute ${shortID(group.id)} --until-next-config --reason TEXT${repeatedFlags(flags)}`,
    );
  await confirm(terminal, `Dismiss ${counted}?`, flags.yes);
  const created = await createDismissal(client, { projectID, body });
  if ('dryRun' in created) throw new TypeError('a dismissal was requested');
  const dismissal = await waitForDismissal(context, created, preview.errorsCount);
  tell(context, flags, dismissal);
}

function tell({ printer }: CommandContext, flags: Flags, dismissal: Dismissal): void {
  if (printer.isForScript) {
    printer.one(dismissal, dismissalView);
    return;
  }
  const { id, errorsCount, agentsCount } = dismissal;
  printer.note(`Dismissed: ${countOf(errorsCount, 'error')} of ${countOf(agentsCount, 'agent')}.`);
  const repeated = repeatedFlags({ profile: flags.profile });
  printer.note(`To reopen them, run: muster dismissal undo ${id}${repeated}`);
}

/** Dismissing what is reported all the time ends nothing. What all agents have left with an earlier configuration is reported no more. */
function isHappening({ lastSeenAt, mutedUntil, agentsCount }: AgentErrorGroup, now: number): boolean {
  return mutedUntil === null && agentsCount > 0 && now - Date.parse(lastSeenAt) < recentMilliseconds;
}

/** @throws CommandError for an agent that is not there */
async function toFilter(
  { connection }: CommandContext,
  flags: Flags,
  groupID: string | undefined,
): Promise<DismissalFilter> {
  const { match, fleet, all, project } = flags;
  const agentIDs = await Promise.all(
    (flags.agent ?? []).map((nameOrID) => findAgentID(connection, nameOrID, project)),
  );
  return {
    ...(groupID === undefined ? {} : { groupID }),
    ...(match === undefined ? {} : { q: match }),
    ...(agentIDs.length === 0 ? {} : { agentIDs }),
    ...(fleet === undefined ? {} : { fleetID: await findFleetOfAgents(connection, fleet, project) }),
    ...(all === true ? { all } : {}),
  };
}
