import { redactKnownSecrets } from './redact-known-secrets.ts';
import { redactText } from './redact-text.ts';
import { isSecretValue, marker } from './secrets/marker.ts';
import { readName } from './secrets/secret-name.ts';

/** Deeper values are replaced completely. No description of an agent is so deep. */
const maxDepth = 32;

type Values = Readonly<Record<string, unknown>>;

/**
 * Replaces the secrets in the values of JSON: values below a name that means a secret, `{"name": "API_TOKEN", "value": …}`,
 * and secrets within texts. True, false and null are never secrets.
 */
export function redactValues(values: Values): Values {
  return redactMap(values, false, 0);
}

/** Replaces the secrets in the arguments of a command: `--token=…`, `--token` before its value, `-u user:…`. */
export function redactArguments(given: readonly string[]): string[] {
  return given.map((argument, index) => redactArgument(argument, given[index - 1]));
}

/** @param before the previous argument, which may be a flag */
function redactArgument(argument: string, before: unknown): string {
  const flag = typeof before === 'string' ? before : '';
  if (isSecretFlag(flag) && !argument.startsWith('-')) return hide(argument);
  const [assigned, name = ''] = /^(-{0,2}[\w.-]{1,256})=/.exec(argument) ?? [];
  if (assigned !== undefined && isSecret(name)) return assigned + hide(argument.slice(assigned.length));
  const context = /^(?:-[uU]|--(?:proxy-)?user)$/.test(flag) ? `${flag} ` : '';
  return redactText(context + argument).slice(context.length);
}

function isSecretFlag(argument: string): boolean {
  return /^--?[\w.-]{2,256}$/.test(argument) && isSecret(argument);
}

function redactMap(values: Values, isBelowSecret: boolean, depth: number): Values {
  const pair = [values.name, values.key, values.header].find((name) => typeof name === 'string');
  const isPair = typeof pair === 'string' && isSecret(pair);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const meaning = isPair && /^values?$/i.test(name) ? 'secret' : readName(name);
      const isScalar = typeof value !== 'object';
      const isHidden = isBelowSecret || meaning === 'secret' || (meaning === 'secret-scalar' && isScalar);
      return [redactKnownSecrets(name), redactValue(value, isHidden, depth + 1)];
    }),
  );
}

function redactValue(value: unknown, isHidden: boolean, depth: number): unknown {
  if (typeof value === 'string') return isHidden ? hide(value) : redactText(value);
  if (typeof value === 'number') return isHidden ? marker : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return marker;
  return Array.isArray(value) ? redactList(value, isHidden, depth) : redactMap({ ...value }, isHidden, depth);
}

/** A list of texts may be the arguments of a command. */
function redactList(values: readonly unknown[], isHidden: boolean, depth: number): unknown[] {
  return values.map((value, index) =>
    typeof value === 'string' && !isHidden
      ? redactArgument(value, values[index - 1])
      : redactValue(value, isHidden, depth + 1),
  );
}

function isSecret(name: string): boolean {
  return readName(name) !== 'harmless';
}

function hide(value: string): string {
  return isSecretValue(value) ? marker : value;
}
