import { LuaFactory } from 'wasmoon';
import { onigmoPattern } from './onigmo-pattern.ts';
import { type Section, textOf } from './read-configuration.ts';
import { splitOnce, splitQuoted } from './split-values.ts';

/** A log record: its keys in order, with texts as values. */
export type LogRecord = ReadonlyMap<string, string>;

/** The filter's result for a record with its time in seconds; undefined: dropped. */
export type Filter = (record: LogRecord, time: number) => LogRecord | undefined;

/**
 * A filter of Fluent Bit, built from its section. The model supports what the page uses and throws for anything else, so
 * that a page that uses more fails instead of being tested only in part:
 *
 * - `grep`: `regex` and `exclude` in the default mode, in which rules apply in order and a `regex` that matches keeps the
 *   record at once, regardless of later rules; with `logical_op or` and `regex` alone, one that matches keeps the record.
 * - `modify`: `condition key_value_matches`, all of which must match, then `set`, `rename` and `remove`.
 * - `lua`: `call` with `code`, run by a real interpreter (Lua 5.4, whereas Fluent Bit has LuaJIT; string patterns are the
 *   same), with three arguments and the results 2, "the record is changed and its time is not", and -1, "dropped".
 */
export async function createFilter(section: Section): Promise<Filter> {
  const name = textOf(section, 'name');
  const rules = section.properties.filter(([key]) => key !== 'name' && key !== 'match');
  if (name === 'grep') return createGrep(rules);
  if (name === 'modify') return createModify(rules);
  if (name === 'lua') return createLua(section, rules);
  throw new Error(`the model has no filter '${name}'`);
}

type Rules = Section['properties'];

function createGrep(rules: Rules): Filter {
  const isEither = rules.some(([key, value]) => key === 'logical_op' && value === 'or');
  const checks = rules.flatMap(([kind, value]) => {
    if (isEither && kind === 'logical_op') return [];
    if (isEither && kind !== 'regex') throw new Error(`the model has no rule '${kind}' with logical_op or`);
    if (kind !== 'regex' && kind !== 'exclude') throw new Error(`the model has no rule '${kind}' of grep`);
    const [key, pattern] = splitOnce(value);
    return [{ kind, key, pattern: onigmoPattern(pattern) }];
  });
  return (record) => {
    if (isEither)
      return checks.some(({ key, pattern }) => record.has(key) && pattern.test(record.get(key) ?? ''))
        ? record
        : undefined;
    for (const { kind, key, pattern } of checks) {
      const isMatch = pattern.test(record.get(key) ?? '') && record.has(key);
      if (isMatch) return kind === 'regex' ? record : undefined;
      if (kind === 'regex') return undefined;
    }
    return record;
  };
}

function createModify(rules: Rules): Filter {
  const parsed = rules.map(([kind, value]) => [kind, splitQuoted(value)] as const);
  const conditions = parsed.flatMap(([kind, words]) => (kind === 'condition' ? [toCondition(words)] : []));
  const changes = parsed.flatMap(([kind, words]) => (kind === 'condition' ? [] : [toChange(kind, words)]));
  return (record) =>
    conditions.every((holds) => holds(record))
      ? changes.reduce<LogRecord>((changed, change) => change(changed), record)
      : record;
}

function toCondition(words: readonly string[]): (record: LogRecord) => boolean {
  const [type = '', key = '', pattern = '', ...more] = words;
  if (type.toLowerCase() !== 'key_value_matches' || pattern === '' || more.length > 0)
    throw new Error(`the model has no condition '${words.join(' ')}' of modify`);
  const compiled = onigmoPattern(pattern);
  return (record) => record.has(key) && compiled.test(record.get(key) ?? '');
}

function toChange(kind: string, words: readonly string[]): (record: LogRecord) => LogRecord {
  const [key = '', value] = words;
  // Fluent Bit compiles both words of every rule, and does not start where one is no pattern.
  for (const word of words) onigmoPattern(word);
  if (kind === 'remove' && words.length === 1)
    return (record) => new Map([...record].filter(([name]) => name !== key));
  if (kind === 'set' && words.length === 2 && value !== undefined)
    return (record) => new Map([...[...record].filter(([name]) => name !== key), [key, value]]);
  if (kind === 'rename' && words.length === 2 && value !== undefined)
    return (record) =>
      record.has(value)
        ? record
        : new Map([...record].map(([name, text]) => [name === key ? value : name, text]));
  throw new Error(`the model has no rule '${kind} ${words.join(' ')}' of modify`);
}

async function createLua(section: Section, rules: Rules): Promise<Filter> {
  const unknown = rules.filter(([key]) => key !== 'call' && key !== 'code');
  if (unknown.length > 0) throw new Error(`the model has no property '${unknown[0]?.[0]}' of lua`);
  const engine = await new LuaFactory().createEngine();
  await engine.doString(textOf(section, 'code') ?? '');
  const tag = 'muster';
  return (record, time) => {
    const results: unknown[] = engine.global.call(textOf(section, 'call') ?? '', tag, time, {
      ...Object.fromEntries(record),
    });
    const [code, , changed] = results;
    if (code === -1) return undefined;
    if (code !== 2) throw new Error(`the model knows the results 2 and -1 alone, not ${code}`);
    return new Map(Object.entries(changed as Record<string, string>)); // made from a record of texts
  };
}
