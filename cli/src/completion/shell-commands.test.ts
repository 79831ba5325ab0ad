import { grants } from '@muster/contract';
import { settings } from '@muster/server/config';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../run-muster.ts';
import { processTerminal } from '../terminal/process-terminal.ts';
import type { CompletedCommand, CompletedFlag } from './command-tree.ts';
import { shellCommands } from './shell-commands.ts';

const commands = shellCommands(await createProgram(processTerminal()));

function commandAt(path: string): CompletedCommand | undefined {
  return commands.find((command) => command.path === path);
}

function flagAt(path: string, long: string): CompletedFlag | undefined {
  return commandAt(path)?.flags.find((flag) => flag.long === long);
}

describe('the commands as shells complete them', () => {
  it('have a help subcommand below every noun, with the same names except help', () => {
    const nouns = commands.filter(
      ({ path, subcommands }) => subcommands.length > 0 && !path.endsWith('help'),
    );
    expect(nouns.map(({ path }) => path)).toEqual([
      '',
      'profile',
      'project',
      'token',
      'agent',
      'fleet',
      'rollout',
      'error',
      'dismissal',
      'alert',
      'alert channel',
      'alert rule',
      'alert delivery',
      'member',
      'invitation',
      'user',
      'access-token',
      'session',
      'audit',
      'core-instance',
      'admin',
    ]);
    for (const { path, subcommands } of nouns) {
      expect(commandAt(`${path} help`.trim())?.subcommands).toEqual(
        subcommands.filter(({ name }) => name !== 'help'),
      );
    }
  });

  it('include aliases', () => {
    expect(commandAt('token revoke')?.aliases).toEqual(['token delete']);
    expect(commandAt('access-token revoke')?.aliases).toEqual(['access-token delete']);
  });

  it('have a description of one sentence', () => {
    expect(flagAt('serve', '--host')?.summary).toBe('Address to listen on.');
    expect(flagAt('token list', '--project')?.summary).toBe('Project.');
    expect(flagAt('token create', '--expires')?.summary).toBe(
      'Expires after this time (90d, 12h), on this date (2027-03-31), or never.',
    );
  });

  // The fish script distinguishes flags from their values without knowing the command.
  it('take a value after a flag in every command or in none', () => {
    const flags = commands.flatMap((command) => command.flags);
    const alone = new Set(flags.filter(({ value }) => value === undefined).map(({ long }) => long));
    expect(flags.filter(({ long, value }) => value !== undefined && alone.has(long))).toEqual([]);
  });
});

describe('the values that can be typed', () => {
  it.each([
    ['token create', '--preset', { kind: 'words', words: ['agent', 'core_instance', 'viewer', 'operator'] }],
    ['token create', '--permission', { kind: 'list', words: grants }],
    ['token create', '--expires', { kind: 'text' }],
    ['token create', '--profile', { kind: 'profile' }],
    ['agent register', '--config', { kind: 'file' }],
    ['report', '--watch', { kind: 'words', words: ['stderr', 'stdout', 'both'] }],
    ['report', '--state-dir', { kind: 'directory', prefix: '' }],
    ['serve', '--data-dir', { kind: 'directory', prefix: '' }],
    ['copy', '--from', { kind: 'directory', prefix: 'sqlite:' }],
  ])('after muster %s %s', (path, long, values) => {
    expect(flagAt(path, long)?.value?.values).toEqual(values);
  });

  it.each([
    ['profile use', { name: 'name', values: { kind: 'profile' }, isVariadic: false }],
    ['token get', { name: 'name|id', values: { kind: 'text' }, isVariadic: false }],
    ['report', { name: 'agent', values: { kind: 'command' }, isVariadic: true }],
    [
      'completion',
      { name: 'shell', values: { kind: 'words', words: ['bash', 'zsh', 'fish'] }, isVariadic: false },
    ],
    ['whoami', undefined],
  ])('after muster %s', (path, argument) => {
    expect(commandAt(path)?.argument).toEqual(argument);
  });

  it('after --log-level are the values of the setting', () => {
    const values = flagAt('serve', '--log-level')?.value?.values;
    const words = values?.kind === 'words' ? values.words : [];
    expect(`one of ${words.join(', ')}`).toBe(settings.logLevel.type.takes);
  });

  it('after --log-format are the values of the setting', () => {
    const values = flagAt('serve', '--log-format')?.value?.values;
    const words = values?.kind === 'words' ? values.words : [];
    expect(words.join(' or ')).toBe(settings.logFormat.type.takes);
  });
});
