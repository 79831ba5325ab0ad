import type { Argument, Command } from 'commander';

/** Fields of the API whose flag is not their name in kebab case. Of several flags that the command has, the one that was given applies. */
const flagsOfFields: Readonly<Record<string, readonly string[]>> = {
  allowedNetworks: ['network'],
  expiresAt: ['expires'],
  graceSeconds: ['grace'],
  heartbeatSeconds: ['heartbeat'],
  reportsPerSecond: ['reportsPerSecond', 'rate'],
  permissions: ['permission'],
  channelIDs: ['channel'],
  recipients: ['to'],
  windowSeconds: ['window'],
  cooldownSeconds: ['cooldown'],
  machineID: ['machineId', 'machine'],
  fleetID: ['fleet'],
  groupID: ['group'],
  groupIDs: ['group'],
  agentIDs: ['agent'],
  agentID: ['agent'],
  tags: ['tag'],
  rawConfig: ['config', 'configFile'],
  q: ['match'],
  url: ['urlFile'],
  key: ['keyFile'],
};

/** A field in a sentence, such as `send despiteBad: true`: it has a capital letter within. */
const word = /(?:\bsend )?(?<![\w/'.-])([a-z]+(?:[A-Z][a-z]+)+)\b(?!['(])(?:: true)?/g;

/** A JSON pointer (RFC 6901) in quotes, as the service names fields: `'/allowedNetworks/0'`. Behind it, the limit of a number. */
const pointer = /'\/([A-Za-z]+)(?:\/[^']*)?'(?: must be ([<>])= (\d+))?/g;

/**
 * Names the fields in a message of the service by what somebody types: `'/expiresAt' must be in the future.` becomes
 * `--expires must be in the future.` What the command has no flag or argument for stays as it is.
 */
export function nameFields(message: string, command: Command | undefined): string {
  const named = message.replace(
    pointer,
    (written, field: string, sign: string | undefined, limit: string) => {
      const name = typedNameOf(field, command);
      if (name === undefined || sign === undefined) return name ?? written;
      return `${name} must be ${sign === '<' ? 'at most' : 'at least'} ${field.endsWith('Seconds') ? typedTime(Number(limit)) : limit}`;
    },
  );
  return named.replace(word, (written, field: string) => {
    const name = typedNameOf(field, command);
    if (name === undefined) return written;
    return written.startsWith('send ') ? `add ${name}` : name;
  });
}

function typedNameOf(field: string, command: Command | undefined): string | undefined {
  const names = [field, ...(flagsOfFields[field] ?? [])];
  const options = command?.options.filter((one) => names.includes(one.attributeName())) ?? [];
  const option =
    options.find((one) => command?.getOptionValueSource(one.attributeName()) === 'cli') ?? options[0];
  if (option !== undefined) return option.long ?? option.short;
  return command?.registeredArguments
    .find((one) => names.includes(camelCase(one)))
    ?.name()
    .toUpperCase();
}

/** `machine-id` becomes `machineId`. */
function camelCase(argument: Argument): string {
  return argument.name().replace(/[-|](\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** As flags take times: `7d`. */
function typedTime(seconds: number): string {
  const [unit, length] = units.find(([, one]) => seconds % one === 0) ?? (['s', 1] as const);
  return `${seconds / length}${unit}`;
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;
