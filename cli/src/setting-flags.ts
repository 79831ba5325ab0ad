import type { Setting } from '@muster/server/config';
import { type Command, Option } from 'commander';

/** Gives a command the flags of settings, with their variable and default in its help. */
export function addSettingFlags(command: Command, settings: readonly Setting[]): void {
  for (const setting of settings) command.addOption(toOption(setting));
}

/** What was given on the command line, by flag. */
export function readSettingFlags(command: Command): Record<string, string> {
  const given = command.options
    .map((option): [string | undefined, unknown] => [
      option.long,
      command.getOptionValue(option.attributeName()),
    ])
    .filter((pair): pair is [string, string] => pair[0] !== undefined && typeof pair[1] === 'string');
  return Object.fromEntries(given);
}

function toOption({ flag, variable, type, default: value, help }: Setting): Option {
  const origin = value === undefined ? variable : `${variable}, default ${String(value)}`;
  // Parsed by readConfig, which tells all faults at once; so commander gets neither type nor default.
  return new Option(`${flag} <${type.placeholder}>`, `${help.replaceAll('`', '')} (${origin})`);
}
