import type { Setting } from './setting.ts';

export interface ConfigSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By flag, such as `--port`. A flag overrides its variable. */
  readonly flags: Readonly<Record<string, string | undefined>>;
}

/** Records a fault and continues with the default, so that one run finds all faults. */
export function readSetting<Value, Default extends Value | undefined>(
  setting: Setting<Value, Default>,
  sources: ConfigSources,
  faults: string[],
): Value | Default {
  const given = findGiven(setting, sources);
  if (given === undefined) return setting.default;
  const value = setting.type.parse(given.text);
  if (value !== undefined) return value;
  const what = setting.type.secret
    ? 'is not valid (its value is secret and not shown)'
    : `is ${quote(given.text)}`;
  const why = setting.type.explain === undefined ? '' : ` ${setting.type.explain(given.text)}`;
  faults.push(`${given.name} ${what}, but it takes ${setting.type.takes}.${why}`);
  return setting.default;
}

interface Given {
  /** The flag or the variable that the text came from. */
  readonly name: string;
  readonly text: string;
}

/** The text of a setting: a flag overrides its variable, and an empty text counts as absent. */
export function findGiven({ flag, variable }: Setting, { env, flags }: ConfigSources): Given | undefined {
  const ofFlag = flags[flag];
  if (ofFlag !== undefined && ofFlag !== '') return { name: flag, text: ofFlag };
  const ofVariable = env[variable];
  return ofVariable === undefined || ofVariable === '' ? undefined : { name: variable, text: ofVariable };
}

/** On one line and of limited length; the part of a URL before the @ may be a password, so it is not shown. */
function quote(text: string): string {
  const safe = text.replaceAll(/\/\/[^/]*@/g, '//[secret]@');
  const short = safe.length > 100 ? `${safe.slice(0, 100)}…` : safe;
  return `'${JSON.stringify(short).slice(1, -1)}'`;
}
