import { isGrant, presets, routes } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readSource } from '../architecture/source-files.ts';

type Section = readonly [section: string, properties: Readonly<Record<string, string>>];

const page = readSource('docs/fluent-bit.md');
const [classic = '', custom = ''] = blocksOf('ini').map((text) => text);
const [yaml = ''] = blocksOf('yaml');

function blocksOf(language: string): string[] {
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map(([, text = '']) => text);
}

/** The classic form: a section's name in brackets, then a key and its value on each line. */
function readClassic(text: string): Section[] {
  return text
    .split(/^\[/m)
    .slice(1)
    .map((part) => {
      const [head = '', ...lines] = part.trim().split('\n');
      const properties = lines.map((line) => /^\s+(\S+)\s+(.*)$/.exec(line)?.slice(1) ?? []);
      return [head.replace(']', '').toLowerCase(), Object.fromEntries(properties)];
    });
}

function readYaml(text: string): Section[] {
  // As Fluent Bit reads it: every value is a text.
  const { pipeline } = parse(text, { schema: 'failsafe' }) as {
    pipeline: Record<string, Record<string, string>[]>;
  }; // as the page has it
  return Object.entries(pipeline).flatMap(([kind, sections]) =>
    sections.map((properties): Section => [kind.replace(/s$/, ''), properties]),
  );
}

describe('the page about Fluent Bit', () => {
  it('shows the same pipeline in both forms', () => {
    expect(readClassic(classic)).toHaveLength(5);
    expect(readYaml(yaml)).toEqual(readClassic(classic));
  });

  it('sends reports to a route that exists, with parameters that it takes', () => {
    const { uri = '', header = '' } =
      readClassic(classic).find(([section]) => section === 'output')?.[1] ?? {};
    const route = routes.createMachineError;
    const [path = '', query = ''] = uri.split('?');
    expect(path).toBe(route.path.replace('{machineID}', `$${'{HOSTNAME}'}`));
    for (const name of new URLSearchParams(query).keys())
      expect(Object.keys(route.query?.properties ?? {})).toContain(name);
    expect(header).toBe(`X-Project-Token $${'{PROJECT_TOKEN}'}`);
    expect(route.credentials).toEqual(['project']);
  });

  it('names the permissions that this takes, which tokens have by default', () => {
    const { permission, furtherPermission } = routes.createMachineError;
    for (const needed of [permission, furtherPermission]) {
      expect(page).toContain(`\`${needed}\``);
      expect(presets.agent.filter(isGrant)).toContain(needed);
    }
  });

  it('names the machine alike for reports and for the custom plugin', () => {
    expect(readClassic(custom)[0]?.[1].machine_id).toBe(`$${'{HOSTNAME}'}`);
  });
});
