import { isGrant, presets, routes } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readSource } from '../architecture/source-files.ts';

type Section = readonly [section: string, properties: Readonly<Record<string, string | readonly string[]>>];

const page = readSource('docs/fluent-bit.md');
const [classic = '', custom = ''] = blocksOf('ini').map((text) => text);
const [yaml = ''] = blocksOf('yaml');

function blocksOf(language: string): string[] {
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map(([, text = '']) => text);
}

/** The classic form: a section's name in brackets, then a key and its value on each line; a key may come again. */
function readClassic(text: string): Section[] {
  return text
    .split(/^\[/m)
    .slice(1)
    .map((part) => {
      const [head = '', ...lines] = part.trim().split('\n');
      const properties: Record<string, string | string[]> = {};
      for (const line of lines) {
        const [, key = '', value = ''] = /^\s+(\S+)\s+(.*)$/.exec(line) ?? [];
        const before = properties[key];
        properties[key] = before === undefined ? value : [before, value].flat();
      }
      return [head.replace(']', '').toLowerCase(), properties];
    });
}

function readYaml(text: string): Section[] {
  // As Fluent Bit reads it: every value is a text.
  const { pipeline } = parse(text, { schema: 'failsafe' }) as {
    pipeline: Record<string, Record<string, string | string[]>[]>;
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
    const { uri = '', header = [] } =
      readClassic(classic).find(([section]) => section === 'output')?.[1] ?? {};
    const route = routes.createMachineError;
    const [path = '', query = ''] = String(uri).split('?');
    expect(path).toBe(route.path.replace('{machineID}', `$${'{HOSTNAME}'}`));
    for (const name of new URLSearchParams(query).keys())
      expect(Object.keys(route.query?.properties ?? {})).toContain(name);
    expect(header).toEqual([`X-Project-Token $${'{PROJECT_TOKEN}'}`, 'Prefer return=minimal']);
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
