import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findOwnCommand, spellCommands } from './own-command.ts';
import { createProgram } from './run-muster.ts';
import { runIn } from './testing/start-cli-test.ts';

let folder = '';

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'muster-own-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (...parts: string[]) => join(folder, ...parts);

function makeProgram(...parts: string[]): string {
  const file = at(...parts);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  chmodSync(file, 0o755);
  return file;
}

function link(target: string, ...parts: string[]): string {
  mkdirSync(dirname(at(...parts)), { recursive: true });
  symlinkSync(target, at(...parts));
  return dirname(at(...parts));
}

/** The command to type if `node` is on the path. */
function find(packageDirectory: string, ...directories: string[]): string {
  const node = makeProgram('node', 'node');
  return findIn('/', packageDirectory, node, directories);
}

function findIn(folder: string, packageDirectory: string, node: string, directories: readonly string[]) {
  return findOwnCommand({ path: [...directories, dirname(node)].join(':'), folder, packageDirectory, node });
}

describe('the command to run this program in another terminal', () => {
  it('is muster if that is installed on the path', () => {
    const file = makeProgram('lib', 'muster', 'dist', 'muster.mjs');
    const bin = link(file, 'bin', 'muster');
    expect(find(at('lib', 'muster'), '/nowhere', bin)).toBe('muster');
  });

  it('is the file in a checkout, because only npm and npx have muster on the path', () => {
    const file = makeProgram('checkout', 'cli', 'bin', 'muster.mjs');
    makeProgram('checkout', 'cli', 'dist', 'muster.mjs');
    const bin = link(file, 'checkout', 'node_modules', '.bin', 'muster');
    expect(find(at('checkout', 'cli'), bin, `${bin}/`)).toBe(`node ${file}`);
  });

  describe('in a checkout', () => {
    const nameIn = (...parts: string[]) => {
      mkdirSync(at(...parts), { recursive: true });
      return findIn(at(...parts), at('checkout', 'cli'), makeProgram('node', 'node'), [
        at('checkout', 'node_modules', '.bin'),
      ]);
    };
    let file = '';
    beforeEach(() => {
      file = makeProgram('checkout', 'cli', 'bin', 'muster.mjs');
      makeProgram('checkout', 'package.json');
      link(file, 'checkout', 'node_modules', '.bin', 'muster');
    });

    it('is npx muster for a person in its folder, or in one below', () => {
      expect(nameIn('checkout')).toBe('npx muster');
      expect(nameIn('checkout', 'data', 'of-somebody')).toBe('npx muster');
    });

    it('is the file for a person elsewhere, where npx would run a package of somebody else', () => {
      expect(nameIn()).toBe(`node ${file}`);
      expect(nameIn('checkout-2')).toBe(`node ${file}`);
      makeProgram('checkout', 'own', 'package.json');
      expect(nameIn('checkout', 'own', 'deeper')).toBe(`node ${file}`);
      link(makeProgram('other', 'muster'), 'project', 'node_modules', '.bin', 'muster');
      expect(nameIn('project')).toBe(`node ${file}`);
    });

    it('is muster where that is installed', () => {
      const bin = link(file, 'bin', 'muster');
      const node = makeProgram('node', 'node');
      expect(findIn(at('checkout'), at('checkout', 'cli'), node, [bin])).toBe('muster');
    });
  });

  it('is the built file if there is no other', () => {
    const file = makeProgram('image', 'cli', 'dist', 'muster.mjs');
    expect(find(at('image', 'cli'))).toBe(`node ${file}`);
  });

  it('is the file if another program of that name comes first', () => {
    const file = makeProgram('lib', 'muster', 'dist', 'muster.mjs');
    const bin = link(file, 'bin', 'muster');
    const other = dirname(makeProgram('other', 'muster'));
    expect(find(at('lib', 'muster'), other, bin)).toBe(`node ${file}`);
    expect(find(at('lib', 'muster'), bin, other)).toBe('muster');
  });

  it('skips a folder of that name and a file that is not executable', () => {
    const file = makeProgram('lib', 'muster', 'dist', 'muster.mjs');
    const bin = link(file, 'bin', 'muster');
    mkdirSync(at('with-folder', 'muster'), { recursive: true });
    chmodSync(makeProgram('with-file', 'muster'), 0o644);
    expect(find(at('lib', 'muster'), at('with-folder'), at('with-file'), bin)).toBe('muster');
  });

  it('is quoted for a shell, with the full path of node if that is not on the path', () => {
    const file = makeProgram('my checkout', 'bin', 'muster.mjs');
    const node = makeProgram('node 22', 'node');
    for (const path of [undefined, '', '.', dirname(dirname(node))]) {
      expect(findOwnCommand({ path, folder: '/', packageDirectory: at('my checkout'), node })).toBe(
        `'${node}' '${file}'`,
      );
    }
  });
});

describe('a text for a person', () => {
  const spell = (text: string) => spellCommands(text, { ownCommand: () => 'npx muster' });

  it.each([
    ['Run: muster login', 'Run: npx muster login'],
    [
      "'muster whoami' shows it, and `muster serve` too",
      "'npx muster whoami' shows it, and `npx muster serve` too",
    ],
    [
      'muster token list, and muster token rotate NAME',
      'npx muster token list, and npx muster token rotate NAME',
    ],
    ['(umask 077; muster token create a)', '(umask 077; npx muster token create a)'],
    ['Usage: muster core-instance get NAME', 'Usage: npx muster core-instance get NAME'],
  ])('has the commands of %j as they are typed', (text, spelled) => {
    expect(spell(text)).toBe(spelled);
    expect(spell(spelled)).toBe(spelled);
  });

  it.each([
    'muster: no answer',
    'node /srv/bin/muster login',
    'the image muster is there',
    '[muster report] The agent ended with exit code 1.',
    '  muster core-instance install --url https://muster.example.com',
    "The token 'muster agent register web-01' is revoked.",
  ])('keeps %j', (text) => expect(spell(text)).toBe(text));

  it('has no other form of a command in any help', async () => {
    const namesOf = (command: Command): string[][] => [
      [command.name()],
      ...command.commands.flatMap((one) => namesOf(one).map((names) => [command.name(), ...names])),
    ];
    const terminal = Object.create(null, { env: { value: {} } });
    const lines = (await createProgram(terminal)).commands
      .filter((command) => !command.name().startsWith('__'))
      .flatMap(namesOf)
      .filter(([first]) => first !== 'help');
    expect(lines.length).toBeGreaterThan(100);
    for (const line of [[], ...lines]) {
      const { stdout, exitCode } = await runIn(folder, [...line, '--help'], { ownCommand: 'npx muster' });
      expect([line, exitCode]).toEqual([line, 0]);
      const left = stdout.match(/(?<!npx |[\w./@[-])muster (?:[a-z-]+)(?: [a-z-]+)?/g) ?? [];
      expect([line, left.filter((one) => !allowed.test(one))]).toEqual([line, []]);
    }
  });
  /** At a site, Muster is installed. */
  const allowed = /^muster (?:core-instance (?:install|start)|in)$/;

  it('says so in what goes wrong, and in what to do next', async () => {
    const ownCommand = 'npx muster';
    expect(await runIn(folder, ['agent', 'list'], { ownCommand })).toEqual({
      exitCode: 3,
      stdout: '',
      stderr:
        'muster: You are not signed in to http://127.0.0.1:7400.\n  Run: npx muster login --url http://127.0.0.1:7400\n',
    });
    expect((await runIn(folder, ['profile', 'list'], { ownCommand })).stderr).toBe(
      'No profiles. To make one, run: npx muster login\n',
    );
  });
});
