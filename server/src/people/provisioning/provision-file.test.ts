import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatProjectToken } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../foundation/settings/config.ts';
import { readProvisionFile } from './provision-file.ts';

const projectID = '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d';
const tokenID = '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2e';
const value = formatProjectToken({ projectID, tokenID }, new Uint8Array(32).fill(7));

let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-provision-'));
  file = join(folder, 'muster.yaml');
  writeFileSync(join(folder, 'agents-token'), `${value}\n`);
  writeFileSync(join(folder, 'short-token'), value.slice(0, -1));
  const old = formatProjectToken({ projectID, tokenID: tokenID.replace('-7c', '-4c') }, new Uint8Array(32));
  writeFileSync(join(folder, 'old-token'), old);
});

afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string, env: Readonly<Record<string, string>> = {}) {
  writeFileSync(file, text);
  return readProvisionFile(file, env);
}

function faultsOf(text: string, env: Readonly<Record<string, string>> = {}): string[] {
  try {
    read(text, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map((fault) => fault.replaceAll(`${folder}/`, ''));
    throw error;
  }
  return [];
}

describe('a provisioning file', () => {
  it('has configurations of fleets in it, or in files beside it', () => {
    writeFileSync(join(folder, 'edge.yaml'), 'pipeline: {}\n');
    const text = `
projects:
  - name: edge
    fleets:
      - { name: one, configFile: edge.yaml, reporting: off }
      - name: two
        rawConfig: "[INPUT]"
        allAtOnce: true
`.replace('reporting: off', 'reporting: "off"');
    const { request, explain } = read(text);
    expect(request.projects[0]?.fleets).toEqual([
      { name: 'one', configFormat: 'yaml', reporting: 'off', rawConfig: 'pipeline: {}\n' },
      { name: 'two', rawConfig: '[INPUT]', allAtOnce: true },
    ]);
    const faults = [0, 1].map((place) => ({
      path: `/projects/0/fleets/${place}/rawConfig`,
      message: 'is wrong',
    }));
    expect(explain(faults)).toEqual([
      `${file}:5: projects[0].fleets[0].configFile is wrong.`,
      `${file}:7: projects[0].fleets[1].rawConfig is wrong.`,
    ]);
  });

  it.each([
    [
      '{ name: one }',
      'muster.yaml:4: projects[0].fleets[0] needs a configuration: give one of rawConfig and configFile.',
    ],
    [
      '{ name: one, configFile: none.yaml }',
      "muster.yaml:4: projects[0].fleets[0].configFile cannot be read: 'none.yaml': it does not exist.",
    ],
  ])('is refused with the fleet %s', (fleet, fault) => {
    expect(faultsOf(`projects:\n  - name: edge\n    fleets:\n      - ${fleet}\n`)).toEqual([fault]);
  });

  it('is read as YAML, with values from files beside it and from variables', () => {
    const text = `
projects:
  - name: edge
    members:
      - { subject: ada, role: owner }
    tokens:
      - name: agents
        valueFile: agents-token
        expiresAt: 2027-01-31T00:00:00Z
      - name: others
        valueVariable: OTHERS
        allowedNetworks: null
`;
    expect(read(text, { OTHERS: ` ${value}\n` }).request).toEqual({
      projects: [
        {
          name: 'edge',
          members: [{ subject: 'ada', role: 'owner' }],
          tokens: [
            { name: 'agents', value, expiresAt: '2027-01-31T00:00:00Z' },
            { name: 'others', value, allowedNetworks: null },
          ],
        },
      ],
    });
  });

  it('is read as JSON', () => {
    expect(read('{"projects": [{"name": "edge"}]}').request).toEqual({ projects: [{ name: 'edge' }] });
  });

  it('is refused with all faults at once, each with its line and field', () => {
    const text = `projects:
  - nam: edge
    tokens:
      - name: agents
        permission: [read:agent]
        valueFile: agents-token
      - name: 7
        valueFile: missing
  - name: other
    id: 5
`;
    expect(faultsOf(text)).toEqual([
      'muster.yaml:2: projects[0].name is missing.',
      "muster.yaml:2: projects[0].nam is unknown; did you mean 'name'?",
      "muster.yaml:5: projects[0].tokens[0].permission is unknown; did you mean 'permissions'?",
      'muster.yaml:7: projects[0].tokens[1].name must be a string.',
      'muster.yaml:10: projects[1].id must be a string.',
    ]);
  });

  it.each([
    [
      'two values',
      'valueFile: agents-token\n        valueVariable: X',
      4,
      '',
      'needs the value of the token: give one of valueFile and valueVariable.',
    ],
    [
      'no value',
      'permissions: []',
      4,
      '',
      'needs the value of the token: give one of valueFile and valueVariable.',
    ],
    [
      'a file that does not exist',
      'valueFile: missing',
      5,
      '.valueFile',
      "cannot be read: 'missing': it does not exist.",
    ],
    ['a folder', 'valueFile: .', 5, '.valueFile', "cannot be read: 'FOLDER': it is a folder."],
    [
      'an unset variable',
      'valueVariable: MISSING',
      5,
      '.valueVariable',
      "is not set in the environment: 'MISSING'.",
    ],
    [
      'half a token',
      'valueFile: short-token',
      5,
      '.valueFile',
      "does not contain a complete project token: make one with 'muster token generate'.",
    ],
    [
      'ids that are no UUIDv7',
      'valueFile: old-token',
      5,
      '.valueFile',
      "contains a token whose ids are not UUIDv7: make one with 'muster token generate'.",
    ],
  ])('is refused with %s', (_, fields, line, field, message) => {
    const text = `projects:\n  - name: edge\n    tokens:\n      - name: agents\n        ${fields}\n`;
    const faults = faultsOf(text).map((fault) => fault.replace(folder, 'FOLDER'));
    expect(faults).toEqual([`muster.yaml:${line}: projects[0].tokens[0]${field} ${message}`]);
    expect(faults.join()).not.toContain(value.slice(140, 180));
  });

  it.each([
    [
      'a value in place',
      `projects:\n  - name: edge\n    tokens:\n      - name: agents\n        value: ${value}\n`,
    ],
    ['a value under a key that is not closed', `projects:\n  - name: "${value}\n`],
    ['a value twice', `${value}: 1\n${value}: 2\n`],
    ['a value as an alias', `projects: *${value.slice(137)}\n`],
    ['a value as a tag', `projects: !${value.slice(137)} 1\n`],
    ['a value as a number', `projects: [{name: [${value}]}]\n`],
  ])('is refused without showing %s', (_, text) => {
    const faults = faultsOf(text);
    expect(faults).not.toEqual([]);
    // An unknown name is shown: it is the only way to find it. A value is no name.
    expect(
      faults.filter((fault) => fault.includes(value.slice(145, 175)) && !fault.includes('is unknown')),
    ).toEqual([]);
  });

  it('is read from a pipe and through links, as secrets of Kubernetes are', () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writer = spawn('sh', ['-c', 'printf "projects:\\n- name: edge\\n" > "$1"', 'sh', pipe]);
    expect(readProvisionFile(pipe, {}).request).toEqual({ projects: [{ name: 'edge' }] });
    writer.kill();
    symlinkSync('agents-token', join(folder, 'link'));
    symlinkSync('link', join(folder, 'link-to-link'));
    const text = 'projects: [{name: edge, tokens: [{name: agents, valueFile: link-to-link}]}]';
    expect(read(text).request.projects[0]?.tokens).toEqual([{ name: 'agents', value }]);
  });

  it('is refused without reading all of a file that has no end', () => {
    expect(faultsOf('projects: [{name: edge, tokens: [{name: agents, valueFile: /dev/zero}]}]')).toEqual([
      "muster.yaml:1: projects[0].tokens[0].valueFile is larger than 4096 bytes: '/dev/zero'.",
    ]);
    expect(() => readProvisionFile('/dev/zero', {})).toThrow(
      "/dev/zero: the provisioning file is larger than 4194304 bytes: '/dev/zero'.",
    );
  });

  it('is refused before it is parsed if it has too many values, and names its first faults', () => {
    const tooMany =
      'muster.yaml: the provisioning file has too many values. At most 1000 projects, members, tokens and fleets fit into one file: make several of it.';
    expect(faultsOf(`projects:\n${'- name: x\n'.repeat(200_000)}`)).toEqual([tooMany]);
    expect(faultsOf(`projects: [${'x,'.repeat(1_500_000)}]`)).toEqual([tooMany]);
    const faults = faultsOf(`projects:\n${'- nam: x\n'.repeat(300)}`);
    expect([faults.length, faults.at(-1)]).toEqual([101, 'There are 500 more faults.']);
  });

  it('is refused if it is missing, no YAML, or several documents', () => {
    expect(() => readProvisionFile(join(folder, 'none.yaml'), {})).toThrow(/none\.yaml: .*it does not exist/);
    expect(faultsOf('projects: [\n')).toEqual(['muster.yaml:2: this is not valid YAML: bad indent.']);
    expect(faultsOf('projects: []\n---\nprojects: []\n')).toEqual([
      'muster.yaml:2: this is not valid YAML: multiple docs.',
    ]);
    expect(faultsOf('')).toEqual(['muster.yaml:1: the file must be an object.']);
  });

  it('does not grow by aliases', () => {
    const rows = Array.from(
      { length: 9 },
      (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level},`.repeat(9)}]`,
    );
    expect(faultsOf(`l0: &l0 x\n${rows.join('\n')}\n`)).toEqual([
      'muster.yaml: its aliases cannot be resolved: write the values out.',
    ]);
  });
});
