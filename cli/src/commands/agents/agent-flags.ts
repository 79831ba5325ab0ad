import type { Command } from 'commander';
import { collect } from '../../client-command.ts';
import { readTextFile } from '../../read-text-file.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** The properties of an agent that registration and updates can set. */
export interface AgentFlags {
  readonly type?: string;
  readonly agentVersion?: string;
  readonly fleet?: string;
  readonly tag?: readonly string[];
  readonly config?: string;
}

export function addAgentFlags(command: Command): Command {
  return command
    .option('--type <type>', 'fluentbit, fluentd, vector, otelcol or any other.')
    .option('--agent-version <version>', 'Version of its program.')
    .option('--fleet <id>', 'Fleet of the agent.')
    .option('--tag <tag>', 'A tag; may be repeated.', collect)
    .option('--config <file>', 'File with its configuration; - for standard input.');
}

/** The properties in the form of the API. */
export async function describedBy(flags: AgentFlags, terminal: Terminal) {
  const { type, agentVersion, fleet, tag, config } = flags;
  return {
    ...(type === undefined ? {} : { type }),
    ...(agentVersion === undefined ? {} : { version: agentVersion }),
    ...(fleet === undefined ? {} : { fleetID: fleet }),
    ...(tag === undefined ? {} : { tags: [...tag] }),
    ...(config === undefined ? {} : { rawConfig: await readTextFile(terminal, config) }),
  };
}
