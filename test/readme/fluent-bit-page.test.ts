import { isGrant, presets, routes } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { fluentBitSnippet } from '../../cli/src/snippets/fluent-bit-snippet.ts';
import { readSource } from '../architecture/source-files.ts';
import { customSection, pageConfigurations } from '../fluent-bit/page.ts';
import { readClassicFormat, type Section, textOf, textsOf } from '../fluent-bit/read-configuration.ts';

const page = readSource('docs/fluent-bit.md');

/** The formats break lines of code differently but order the keys of a section in the same way. */
function withCodeOnOneLine(sections: readonly Section[]): Section[] {
  return sections.map(({ kind, properties }) => ({
    kind,
    properties: properties.map(([key, value]) => [key, value.trim().replaceAll(/\s+/g, ' ')]),
  }));
}

function outputOf(sections: readonly Section[]): Section {
  return sections.find(({ kind }) => kind === 'output') ?? { kind: 'output', properties: [] };
}

describe('the page about Fluent Bit', () => {
  it('shows the same pipeline in both formats', () => {
    expect(pageConfigurations.classic).toHaveLength(6);
    for (const [classic, yaml] of [
      ['classic', 'yaml'],
      ['classic without Lua', 'yaml without Lua'],
    ] as const)
      expect(withCodeOnOneLine(pageConfigurations[yaml])).toEqual(
        withCodeOnOneLine(pageConfigurations[classic]),
      );
  });

  it('sends reports to an existing route, with valid parameters', () => {
    const output = outputOf(pageConfigurations.classic);
    const route = routes.createMachineError;
    const [path = '', query = ''] = (textOf(output, 'uri') ?? '').split('?');
    expect(path).toBe(route.path.replace('{machineID}', `$${'{HOSTNAME}'}`));
    for (const name of new URLSearchParams(query).keys())
      expect(Object.keys(route.query?.properties ?? {})).toContain(name);
    expect(textsOf(output, 'header')).toEqual([
      `X-Project-Token $${'{PROJECT_TOKEN}'}`,
      'Prefer return=minimal',
    ]);
    expect(route.credentials).toEqual(['project']);
  });

  it('names the needed permissions, which tokens have by default', () => {
    const { permission, furtherPermission } = routes.createMachineError;
    for (const needed of [permission, furtherPermission]) {
      expect(page).toContain(`\`${needed}\``);
      expect(presets.agent.filter(isGrant)).toContain(needed);
    }
  });

  it('uses the same machine id for reports and for the custom plugin', () => {
    expect(customSection && textOf(customSection, 'machine_id')).toBe(`$${'{HOSTNAME}'}`);
  });
});

describe('muster agent register --snippet fluent-bit', () => {
  const agentID = '0192f0a0-0000-7000-8000-000000000000';
  const target = { agentID, name: 'web-01', machineID: 'web-01' };

  it('prints the pipeline of the page, with the path and the token of one agent', () => {
    const snippet = fluentBitSnippet({ ...target, url: new URL('https://muster.example.com') });
    const ofOneAgent = pageConfigurations.classic.map(({ kind, properties }) => ({
      kind,
      properties: properties.map(([key, value]) => [
        key,
        value
          .replace(`/v1/machines/$${'{HOSTNAME}'}/`, `/v1/agents/${agentID}/`)
          .replace(`X-Project-Token $${'{PROJECT_TOKEN}'}`, `X-Agent-Token $${'{MUSTER_AGENT_TOKEN}'}`),
      ]),
    }));
    expect(readClassicFormat(snippet)).toEqual(ofOneAgent);
  });

  it.each([
    ['http://[::1]:7400/base/', '::1', '7400', 'off', '/base', "message ::1(:7400|')"],
    ['https://m.example.com', 'm.example.com', '443', 'on', '', "message m\\.example\\.com(:443|')"],
    ['http://10.0.0.1', '10.0.0.1', '80', 'off', '', "message 10\\.0\\.0\\.1(:80|')"],
  ])('reports to %s, and drops the lines that name it', (url, host, port, tls, base, rule) => {
    const sections = readClassicFormat(fluentBitSnippet({ ...target, url: new URL(url) }));
    const output = outputOf(sections);
    expect(['host', 'port', 'tls', 'uri'].map((key) => textOf(output, key))).toEqual([
      host,
      port,
      tls,
      `${base}/v1/agents/${agentID}/errors?truncate=true&partial=true`,
    ]);
    expect(sections.flatMap((section) => textsOf(section, 'exclude'))).toContain(rule);
  });
});
