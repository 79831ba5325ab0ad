import { describe, expect, it } from 'vitest';
import { createFilter, type LogRecord } from './filters.ts';
import { readClassicFormat, readYamlFormat, withEnvironment } from './read-configuration.ts';

/** The filter's result for a record, as an object; undefined if the filter drops it. */
async function apply(lines: readonly string[], record: Record<string, string>) {
  const text = ['[FILTER]', ...lines.map((line) => `    ${line}`)].join('\n');
  const [section] = readClassicFormat(text);
  if (section === undefined) throw new Error('there is no section');
  const changed: LogRecord | undefined = (await createFilter(section))(new Map(Object.entries(record)), 0);
  return changed === undefined ? undefined : Object.fromEntries(changed);
}

const record = { level: 'error', message: "[engine] chunk 'a' lost" };

describe('the model of grep', () => {
  it('keeps records that match a regex, and drops those without the key', async () => {
    expect(await apply(['name grep', 'regex level ^error$'], record)).toEqual(record);
    expect(await apply(['name grep', 'regex level ^warn$'], record)).toBeUndefined();
    expect(await apply(['name grep', 'regex other .*'], record)).toBeUndefined();
  });

  it('drops records that match any exclude, and keeps those without the key', async () => {
    expect(await apply(['name grep', 'exclude level ^x', 'exclude message lost$'], record)).toBeUndefined();
    expect(await apply(['name grep', 'exclude other .*'], record)).toEqual(record);
  });

  it('keeps records that match any regex of logical_op or', async () => {
    const either = ['name grep', 'logical_op or', 'regex level ^error$', 'regex message ^lost'];
    expect(await apply(either, record)).toEqual(record);
    expect(await apply(either, { level: 'warn', message: 'lost' })).toEqual({
      level: 'warn',
      message: 'lost',
    });
    expect(await apply(either, { level: 'warn', message: 'not lost' })).toBeUndefined();
  });

  it('ignores further rules once a regex matches, so that regex and exclude need separate filters', async () => {
    expect(await apply(['name grep', 'regex level error', 'exclude message lost'], record)).toEqual(record);
  });

  it('matches ^ and $ at every line, as the Ruby syntax does', async () => {
    const lines = { message: 'first\nsecond' };
    expect(await apply(['name grep', 'exclude message ^second$'], lines)).toBeUndefined();
    expect(await apply(['name grep', 'exclude message first.second'], lines)).toEqual(lines);
  });
});

describe('the model of modify', () => {
  it('changes only records that meet all conditions', async () => {
    const set = 'set message "two words"';
    const [holds, fails] = ['condition key_value_matches level err', 'condition key_value_matches level ^w'];
    expect(await apply(['name modify', holds, set], record)).toEqual({
      level: 'error',
      message: 'two words',
    });
    expect(await apply(['name modify', holds, fails, set], record)).toEqual(record);
  });

  it('renames only to a free key, and removes keys', async () => {
    expect(await apply(['name modify', 'rename message error', 'remove level'], record)).toEqual({
      error: record.message,
    });
    expect(await apply(['name modify', 'rename message level'], record)).toEqual(record);
  });

  it('refuses what Fluent Bit refuses: a pattern with a space, a value that is not a pattern', async () => {
    const withSpace = ['name modify', 'condition key_value_matches message chunk .a', 'set message b'];
    await expect(apply(withSpace, record)).rejects.toThrow('no condition');
    await expect(apply(['name modify', 'set message "(open"'], record)).rejects.toThrow('Unterminated group');
  });
});

describe('the model', () => {
  it.each([
    [['name throttle', 'rate 1']],
    [['name grep', 'logical_op and']],
    [['name grep', 'logical_op or', 'exclude level x']],
    [['name grep', 'regex message (?<name>x)']],
    [['name modify', 'condition key_exists message', 'set a b']],
    [['name modify', 'hard_rename message error']],
    [['name lua', 'call f', 'script fold.lua']],
  ])('throws for unknown settings: %j', async (lines) => {
    await expect(apply(lines, record)).rejects.toThrow(/the model has no/);
  });

  it('drops what a Lua function drops', async () => {
    const drop = "if r.level == 'error' then return -1, 0, r end return 2, t, r";
    const lines = ['name lua', 'call f', `code function f(tag, t, r) ${drop} end`];
    expect(await apply(lines, record)).toBeUndefined();
    expect(await apply(lines, { level: 'warn' })).toEqual({ level: 'warn' });
  });

  it('reads both formats alike, and variables of the environment', () => {
    const variable = `$${'{B}'}`;
    const classic = readClassicFormat(
      `[OUTPUT]\n    Name http\n    header A  ${variable} \n    header C d\n`,
    );
    const yaml = readYamlFormat(
      `pipeline:\n  outputs:\n    - Name: http\n      header:\n        - A  ${variable}\n        - C d\n`,
    );
    expect(classic).toEqual(yaml);
    expect(withEnvironment(yaml, { B: 'b' })).toEqual([
      {
        kind: 'output',
        properties: [
          ['name', 'http'],
          ['header', 'A  b'],
          ['header', 'C d'],
        ],
      },
    ]);
  });
});
