import { Type } from 'typebox';

/** The forms of a configuration of Fluent Bit. */
export const fleetConfigFormats = ['classic', 'yaml', 'json'] as const;

export type FleetConfigFormat = (typeof fleetConfigFormats)[number];

/** What agents, older clients and file names call them. */
const names: Readonly<Record<string, FleetConfigFormat>> = {
  ini: 'classic',
  conf: 'classic',
  classic: 'classic',
  yml: 'yaml',
  yaml: 'yaml',
  json: 'json',
};

/** The names, for messages and schemas. The letters' case does not matter. */
export const fleetConfigFormatNames: readonly string[] = Object.keys(names);

/** The format with a name; undefined if there is none. */
export function fleetConfigFormatOf(name: string): FleetConfigFormat | undefined {
  const lower = name.toLowerCase();
  return Object.hasOwn(names, lower) ? names[lower] : undefined;
}

const formatNames = fleetConfigFormatNames.map((name) => `\`${name}\``).join(', ');

/** The name of a format as clients send it. Unknown ones are refused by the service, which names the valid ones. */
export const FleetConfigFormatName = Type.String({
  maxLength: 16,
  description: `The form of the configuration: ${formatNames}; the case does not matter. Empty: as it is stored, and \`classic\` for a new one.`,
  examples: ['yaml'],
});
