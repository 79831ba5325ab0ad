import { type PipelineSection, toClassicFormat, toYamlFormat } from '@muster/contract';
import { type ConfigSection, textOf } from './reading/config-section.ts';
import { parseYaml } from './reading/parse-yaml.ts';
import { indentationOf, readClassic } from './reading/read-classic.ts';
import { readYaml } from './reading/read-yaml.ts';
import type { YamlMap } from './reading/yaml-node.ts';
import { writeYaml } from './writing/write-yaml.ts';

/**
 * Adds the sections by which an agent reports its own errors to a configuration without variables. A configuration that has an output of the same
 * alias reports already, and stays as it is; so does one that cannot be read. The rest of the text stays as it is written.
 */
export function appendReporting(
  text: string,
  format: 'classic' | 'yaml',
  block: readonly PipelineSection[],
): string {
  const sections = (format === 'classic' ? readClassic(text) : readYaml(text)).sections;
  if (sections.some((section) => reports(section, block))) return text;
  return format === 'classic' ? appendToClassic(text, block) : insertIntoYaml(text, block);
}

function reports(section: ConfigSection, block: readonly PipelineSection[]): boolean {
  const aliases = block.flatMap(({ kind, properties }) =>
    kind === 'output' ? properties.flatMap(([key, value]) => (key === 'alias' ? [value] : [])) : [],
  );
  return section.kind === 'output' && aliases.includes(textOf(section, 'alias') ?? '');
}

/** Fluent Bit wants the same indentation in the whole file. */
function appendToClassic(text: string, block: readonly PipelineSection[]): string {
  const indentation = indentationOf(text);
  const appended = toClassicFormat(block);
  const fitting = indentation === undefined ? appended : appended.replaceAll(/^ +/gm, indentation);
  return `${text}${text.endsWith('\n') ? '' : '\n'}\n${fitting}`;
}

/** Puts each section before the first one of its list: a second key `pipeline` would be no YAML. */
function insertIntoYaml(text: string, block: readonly PipelineSection[]): string {
  const parsed = parseYaml(text);
  if ('findings' in parsed || parsed.node.kind !== 'map') return text;
  const pipeline = parsed.node.entries.find(({ key }) => key.toLowerCase() === 'pipeline')?.value;
  if (pipeline === undefined && !parsed.node.isFlow) return `${endLine(text)}${toYamlFormat(block)}`;
  const lines = text.split('\n');
  if (pipeline?.kind !== 'map' || parsed.node.isFlow || pipeline.isFlow || !startsItsLine(pipeline, lines))
    return writeYaml(withSections(parsed.node, block));
  const kinds = [...new Set(block.map(({ kind }) => kind))];
  const insertions: { readonly line: number; readonly text: string[] }[] = [];
  for (const kind of kinds) {
    const list = pipeline.entries.find(({ key }) => key.toLowerCase() === `${kind}s`)?.value;
    const written = toYamlFormat(block.filter((section) => section.kind === kind))
      .trimEnd()
      .split('\n');
    const isBlock = list?.kind === 'list' && !list.isFlow && startsItsLine(list, lines);
    if (list !== undefined && !isBlock) return writeYaml(withSections(parsed.node, block));
    insertions.push(
      list === undefined
        ? { line: pipeline.place.line, text: indent(written.slice(1), pipeline.place.column - 1 - 2) }
        : { line: list.place.line, text: indent(written.slice(2), list.place.column - 1 - 4) },
    );
  }
  // The last first, so that the lines of the others stay where they are.
  for (const { line, text: inserted } of insertions.sort((one, other) => other.line - one.line))
    lines.splice(line - 1, 0, ...inserted);
  return lines.join('\n');
}

function startsItsLine({ place }: Pick<YamlMap, 'place'>, lines: readonly string[]): boolean {
  return (lines[place.line - 1] ?? '').slice(0, place.column - 1).trim() === '';
}

/** By so many columns more, or fewer, than `toYamlFormat` writes. */
function indent(lines: readonly string[], columns: number): string[] {
  return lines.map((line) => (columns < 0 ? line.slice(-columns) : ' '.repeat(columns) + line));
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** The whole configuration with the sections in its lists. */
function withSections(root: YamlMap, block: readonly PipelineSection[]): YamlMap {
  const added = parseYaml(toYamlFormat(block));
  if ('findings' in added || added.node.kind !== 'map')
    throw new Error('The sections that are added are no YAML.');
  return mergeMaps(root, added.node);
}

/** The entries of both; the elements of lists of the second stand before those of the first. */
function mergeMaps(one: YamlMap, other: YamlMap): YamlMap {
  const merged = one.entries.map((entry) => {
    const added = other.entries.find(({ key }) => key === entry.key.toLowerCase())?.value;
    if (added?.kind === 'map' && entry.value.kind === 'map')
      return { ...entry, value: mergeMaps(entry.value, added) };
    if (added?.kind === 'list' && entry.value.kind === 'list')
      return { ...entry, value: { ...entry.value, items: [...added.items, ...entry.value.items] } };
    return added === undefined ? entry : { ...entry, value: added };
  });
  const known = new Set(one.entries.map(({ key }) => key.toLowerCase()));
  return { ...one, entries: [...merged, ...other.entries.filter(({ key }) => !known.has(key))] };
}
