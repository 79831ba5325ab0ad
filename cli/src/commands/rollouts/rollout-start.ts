import type { FleetVersion, StartedRollout, StartRollout } from '@muster/client';
import { countOf, minSoakSeconds, quoteForShell } from '@muster/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  type CommandContext,
  collect,
  openContext,
  readCount,
  repeatedFlags,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { findFleetID } from '../../connection/find-resources.ts';
import { readSeconds } from '../../duration.ts';
import type { View } from '../../output/printer.ts';
import { describeLength } from '../../output/relative-time.ts';
import { shortID } from '../../output/short-id.ts';
import { readTextFile } from '../../read-text-file.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { findVersion } from '../fleets/find-version.ts';
import { formatOfFile } from '../fleets/format-of-file.ts';

type StageAgents = NonNullable<StartRollout['stages']>[number]['agents'];

interface StartFlags extends ClientFlags {
  readonly reason: string;
  readonly config?: string;
  readonly format?: string;
  readonly stage?: readonly string[];
  readonly soak: number;
  readonly hold?: true;
  readonly approval?: true;
  readonly maxPerMinute?: number;
  readonly dryRun?: true;
  readonly despiteBad?: true;
  readonly despiteFreeze?: true;
}

const usualSoakSeconds = 600;

/** `muster rollout start` */
export function addRolloutStart(noun: Command, terminal: Terminal): void {
  const command = addClientCommand(noun, 'start <fleet> [version]', {
    summary: 'Give a version to the agents of a fleet, stage by stage.',
    description:
      'Gives a version, the newest one, or with --config a new one, to one agent, then to 10%, to 50%, and to all. Each stage has to run it for ten minutes. If its agents get worse than the others, the rollout stops by itself, and gives them the version before again. --dry-run shows who gets it when.',
    examples: [
      "muster rollout start edge --config fluent-bit.yaml --reason 'Send to the new cluster'",
      "muster rollout start edge 41 --stage 1 --stage 25% --soak 30min --reason 'Back to 41'",
      "muster rollout start edge --stage tag:canary --dry-run --reason 'To see who gets it'",
    ],
  });
  addOutputFlags(addProjectFlag(command), 'Print only the id.')
    .requiredOption('--reason <text>', 'The reason, which the audit log keeps.')
    .option(
      '--stage <agents>',
      'A stage: 1, 10%, tag:TAG, site:NAME. Repeat it for further ones; the last one is all that are left.',
      collect,
    )
    .addOption(
      new Option('--soak <time>', 'For how long each stage has to run it: 2min, 10min, 2h; at least 2min.')
        .argParser(readSoak)
        .default(usualSoakSeconds, '10min'),
    )
    .option(
      '--approval',
      'Each stage but the first waits until somebody runs: muster rollout approve ID --reason TEXT.',
    )
    .option('--max-per-minute <number>', 'Agents of a stage that get it in each minute.', readCount)
    .option('--hold', 'If it stops by itself, agents keep what they have.')
    .option('--config <file>', 'Create a version of this file first; - for standard input.')
    .option('--format <format>', 'classic, yaml or json. Default: as the name of the file ends, or classic.')
    .option('--dry-run', 'Show who gets it when, and do nothing.')
    .option('--despite-freeze', "Also during a freeze of the project. 'muster rollout freeze' lists them.")
    .option('--despite-bad', 'Also if a rollout of this version has stopped by itself before.')
    .action(async (fleet: string, version: string | undefined, flags: StartFlags) => {
      const context = await openContext(terminal, flags);
      const fleetID = await findFleetID(context.connection, fleet, flags.project);
      if (flags.config !== undefined && flags.dryRun === true)
        throw new CommandError(
          'usage',
          '--dry-run changes nothing, so it cannot create the version that --config asks for.',
          `Without --config it shows who would get the newest version; any other one goes to the same agents in the same stages. To check the file, run: muster fleet validate ${quoteForShell(flags.config)}`,
        );
      const { startRollout } = await import('@muster/client');
      const { reason, stage, soak, hold, approval, maxPerMinute, dryRun, despiteBad, despiteFreeze, config } =
        flags;
      if (config !== undefined && version !== undefined)
        throw new CommandError(
          'usage',
          'A version and --config are given.',
          'Leave one out: --config creates a version and gives that one.',
        );
      const body = {
        versionID: (await findOrCreateVersion({ ...context, terminal }, fleetID, version, flags)).id,
        reason,
        ...((stage !== undefined || soak !== usualSoakSeconds) && {
          stages: (stage ?? usualStages).map((agents) => ({ agents: readStage(agents), soakSeconds: soak })),
        }),
        ...(approval && { approval: 'each_stage' as const }),
        ...(maxPerMinute !== undefined && { maxPerMinute }),
        ...(hold && { onFailure: 'hold' as const }),
        ...(dryRun && { dryRun }),
        ...(despiteBad && { despiteBad }),
        ...(despiteFreeze && { despiteFreeze }),
      };
      const started = await startRollout(context.connection.client, { fleetID, body });
      print(context, started, flags);
    });
}

const usualStages = ['1', '10%', '50%', '100%'];

function print({ printer }: CommandContext, started: StartedRollout, flags: ClientFlags): void {
  printer.one(started, startedView);
  if (started.id === null) printer.note('Nothing was done.');
  else printer.note(`To follow it, run: muster rollout watch ${shortID(started.id)}${repeatedFlags(flags)}`);
}

const startedView: View<StartedRollout> = {
  id: ({ id }) => id ?? '',
  columns: [],
  details: ({ id, stages }) => [
    ['id', id ?? undefined],
    ...stages.map(({ agentsCount, aliveCount, soakSeconds, names }, index): [string, string] => {
      const silent = agentsCount - aliveCount;
      const parts = [
        countOf(agentsCount, 'agent'),
        ...(silent > 0 ? [`${countOf(silent, 'agent')} not heard`] : []),
        `for ${describeLength(soakSeconds * 1_000)}`,
        names.slice(0, 3).join(', ') + (agentsCount > 3 ? ', …' : ''),
      ];
      return [`stage ${index + 1}`, parts.join('; ')];
    }),
  ],
};

/** A new version of the given configuration, or the one with the given number. */
async function findOrCreateVersion(
  { connection, terminal }: CommandContext & { readonly terminal: Terminal },
  fleetID: string,
  version: string | undefined,
  { config, format, reason }: StartFlags,
): Promise<FleetVersion> {
  if (config === undefined) return findVersion(connection, fleetID, version);
  const { createFleetVersion } = await import('@muster/client');
  const rawConfig = await readTextFile(terminal, config);
  const body = { rawConfig, configFormat: format ?? formatOfFile(config), note: reason };
  return createFleetVersion(connection.client, { fleetID, body });
}

/** @throws CommandError (usage) */
function readStage(text: string): StageAgents {
  if (/^\d+$/.test(text) && Number(text) > 0) return Number(text);
  if (/^(?:100|[1-9]?\d)(?:\.\d{1,2})?%$/.test(text)) return text;
  const [, kind, value = ''] = /^(tag|site):(.+)$/.exec(text) ?? [];
  if (kind === 'tag') return { tag: value };
  if (kind === 'site') return { site: value };
  throw new CommandError(
    'usage',
    `'${text}' is no stage.`,
    'Give a number, a share such as 10%, tag:TAG or site:NAME.',
  );
}

function readSoak(text: string): number {
  const seconds = readSeconds(text);
  if (seconds >= minSoakSeconds) return seconds;
  throw new InvalidArgumentError(
    `It takes ${describeLength(minSoakSeconds * 1_000)} or more, such as 2min, 10min or 2h: agents need that long to show what is wrong.`,
  );
}
