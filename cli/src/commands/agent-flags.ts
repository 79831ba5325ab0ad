import type { Command } from 'commander';
import { collect } from '../client-command.ts';
import { readTextFile } from '../read-text-file.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What is said of an agent at its registration and afterwards. */
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
    .option('--fleet <id>', 'Fleet that it belongs to.')
    .option('--tag <tag>', 'A tag; several times for several.', collect)
    .option('--config <file>', 'File with the configuration that it runs; - for standard input.');
}

/** As the API takes it. */
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
