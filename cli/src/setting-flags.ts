import type { Setting } from '@muster/server/config';
import { type Command, Option } from 'commander';

/** Adds the flags of settings to a command; their help names the environment variable and the default, unless they are hidden. */
export function addSettingFlags(
  command: Command,
  settings: readonly Setting[],
  { areHidden = false } = {},
): void {
  for (const setting of settings) command.addOption(toOption(setting).hideHelp(areHidden));
}

/** The values given on the command line, by flag. */
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
  // readConfig parses the value and reports all faults together, so commander gets neither type nor default.
  return new Option(`${flag} <${type.placeholder}>`, `${help.replaceAll('`', '')} (${origin})`);
}
