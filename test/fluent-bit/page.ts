import { readSource } from '../architecture/source-files.ts';
import { readClassicFormat, readYamlFormat, type Section, textOf } from './read-configuration.ts';

const page = readSource('docs/fluent-bit.md');
const [classic, classicWithoutLua, classicHeartbeat, custom] = blocksOf('ini').map(readClassicFormat);
const [yaml, yamlWithoutLua, yamlHeartbeat] = blocksOf('yaml').map(readYamlFormat);

/** Every configuration of the page that runs a pipeline, as the page has it. */
export const pageConfigurations = {
  classic: classic ?? [],
  yaml: yaml ?? [],
  'classic without Lua': withoutLua(classic, classicWithoutLua),
  'yaml without Lua': withoutLua(yaml, yamlWithoutLua),
} as const;

export const pageConfigurationNames = Object.keys(pageConfigurations) as (keyof typeof pageConfigurations)[]; // keys of a literal object

/** What the page adds to send heartbeats. */
export const heartbeatConfigurations = {
  classic: classicHeartbeat ?? [],
  yaml: yamlHeartbeat ?? [],
} as const;

/** The custom plugin's section. */
export const customSection = custom?.[0];

/** How many configurations the page has, so that none is forgotten here. */
export const blockCount = blocksOf('ini').length + blocksOf('yaml').length;

function blocksOf(language: string): string[] {
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map(([, text = '']) => text);
}

/** What the page tells readers to do: replace the Lua filter by the others. */
function withoutLua(pipeline: readonly Section[] = [], replacement: readonly Section[] = []): Section[] {
  return pipeline.flatMap((section) =>
    section.kind === 'filter' && textOf(section, 'name') === 'lua' ? replacement : [section],
  );
}
