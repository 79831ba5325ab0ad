import type { SettingType } from './setting-types.ts';

/** One setting of the service, given as an environment variable or as a flag of `muster serve`. */
export interface Setting<Value = unknown, Default extends Value | undefined = Value | undefined> {
  readonly variable: string;
  readonly flag: `--${string}`;
  readonly type: SettingType<Value>;
  /** The value if the setting is absent; undefined if it has no default. */
  readonly default: Default;
  /** Whole sentences, in Markdown that is also readable as plain text. */
  readonly help: string;
}
