import type { Finding, FindingCode, Place } from '../finding.ts';
import type { ConfigProperty, ConfigSection, PlacedText, Processor, ReadConfig } from './config-section.ts';
import { parseYaml } from './parse-yaml.ts';
import { nameKind, type YamlEntry, type YamlList, type YamlMap, type YamlNode } from './yaml-node.ts';

interface Reading {
  readonly sections: ConfigSection[];
  readonly includes: PlacedText[];
  readonly variables: [string, string][];
  readonly findings: Finding[];
}

type ListedKind = Exclude<ConfigSection['kind'], 'other' | 'service' | 'plugins'>;

/** Top-level keys whose value is a list of sections, by the kind of each. */
const listedKinds: ReadonlyMap<string, ListedKind> = new Map([
  ['customs', 'custom'],
  ['parsers', 'parser'],
  ['multiline_parsers', 'multiline_parser'],
  ['stream_processor', 'stream_processor'],
  ['upstream_servers', 'upstream_servers'],
]);

const pipelineKinds: ReadonlyMap<string, ListedKind> = new Map([
  ['inputs', 'input'],
  ['filters', 'filter'],
  ['outputs', 'output'],
]);

/** Values that Fluent Bit reads as a structure and not as texts. */
const structures: ReadonlySet<string> = new Set(['routes', 'telemetry', 'rules', 'nodes', 'condition']);

/** Reads the YAML format of Fluent Bit. Fluent Bit gives up at the first part of the wrong shape. All of them are findings here. */
export function readYaml(text: string): ReadConfig {
  const parsed = parseYaml(text);
  const reading: Reading = { sections: [], includes: [], variables: [], findings: [] };
  if ('findings' in parsed) return { ...reading, findings: parsed.findings };
  const { node } = parsed;
  if (node.kind === 'map') for (const entry of node.entries) readTopEntry(reading, entry);
  else if (node.kind !== 'text' || node.text !== '') {
    reportShape(reading, node, "The configuration has to be a map with keys such as 'pipeline'");
  }
  return reading;
}

function readTopEntry(reading: Reading, entry: YamlEntry): void {
  const name = entry.key.toLowerCase();
  const listed = listedKinds.get(name);
  if (name === 'pipeline') readPipeline(reading, entry);
  else if (listed !== undefined) readList(reading, entry, listed);
  else if (name === 'service') readService(reading, entry);
  else if (name === 'env') readEnvironment(reading, entry);
  else if (name === 'includes') readIncludes(reading, entry);
  else if (name === 'plugins') readPlugins(reading, entry);
  else if (name !== 'extensions') {
    reading.sections.push({
      kind: 'other',
      written: entry.key,
      place: entry.place,
      properties: [],
      processors: [],
    });
  }
}

function readPipeline(reading: Reading, { value }: YamlEntry): void {
  if (isEmpty(value)) return;
  if (value.kind !== 'map') {
    reportShape(reading, value, "'pipeline' has to be a map with the keys 'inputs', 'filters' and 'outputs'");
    return;
  }
  for (const entry of value.entries) {
    const kind = pipelineKinds.get(entry.key.toLowerCase());
    if (kind !== undefined) readList(reading, entry, kind);
    else {
      report(reading, entry.place, 'unknown_section', `'pipeline' has no part '${entry.key}'.`, {
        remedy: "Use 'inputs', 'filters' and 'outputs'.",
      });
    }
  }
}

function readList(reading: Reading, { key, value }: YamlEntry, kind: ListedKind): void {
  if (isEmpty(value)) return;
  if (value.kind !== 'list') {
    reportShape(reading, value, `'${key}' has to be a list`);
    return;
  }
  for (const item of value.items) {
    if (item.kind !== 'map') {
      reportShape(reading, item, `Each element of '${key}' has to be a map of properties`);
      continue;
    }
    reading.sections.push({
      kind,
      written: key,
      place: item.place,
      properties: readProperties(item, 'snake'),
      processors: readProcessors(reading, item),
    });
  }
}

function readService(reading: Reading, { key, value, place }: YamlEntry): void {
  if (reading.sections.some(({ kind }) => kind === 'service')) {
    report(reading, place, 'duplicate_service', "The configuration has two parts 'service'.", {
      remedy: 'Put all of it into one.',
    });
  }
  if (!isEmpty(value) && value.kind !== 'map') {
    reportShape(reading, value, "'service' has to be a map");
    return;
  }
  const map: YamlMap = value.kind === 'map' ? value : { kind: 'map', entries: [], place, isFlow: false };
  for (const entry of map.entries) {
    if (entry.value.kind === 'text' || entry.key.toLowerCase() === 'telemetry') continue;
    reportShape(reading, entry.value, `'${entry.key}' of 'service' has to be a text`);
  }
  reading.sections.push({
    kind: 'service',
    written: key,
    place,
    properties: readProperties(map, 'snake'),
    processors: [],
  });
}

function readEnvironment(reading: Reading, { value }: YamlEntry): void {
  if (isEmpty(value)) return;
  if (value.kind === 'text') {
    reportShape(reading, value, "'env' has to be a map of variables");
    return;
  }
  if (value.kind === 'list') {
    for (const item of value.items) {
      const name = item.kind === 'map' ? entryOf(item, 'name') : undefined;
      if (name !== undefined && item.kind === 'map')
        reading.variables.push([name, entryOf(item, 'value') ?? '']);
      else reportShape(reading, item, "Each element of 'env' has to be a map with a 'name'");
    }
    return;
  }
  for (const entry of value.entries) {
    if (entry.value.kind === 'text') reading.variables.push([entry.key, entry.value.text]);
    else reportShape(reading, entry.value, `The variable '${entry.key}' has to be a text`);
  }
}

function readIncludes(reading: Reading, { value }: YamlEntry): void {
  if (isEmpty(value)) return;
  if (value.kind !== 'list') {
    reportShape(reading, value, "'includes' has to be a list of files");
    return;
  }
  for (const item of value.items) {
    if (item.kind === 'text') reading.includes.push({ text: item.text, place: item.place });
    else reportShape(reading, item, "Each element of 'includes' has to be the name of a file");
  }
}

function readPlugins(reading: Reading, { key, value, place }: YamlEntry): void {
  if (value.kind === 'map') {
    reportShape(reading, value, "'plugins' has to be a list of files");
    return;
  }
  reading.sections.push({ kind: 'plugins', written: key, place, properties: [], processors: [] });
}

function readProcessors(reading: Reading, { entries }: YamlMap): Processor[] {
  const value = entries.find(({ key }) => key === 'processors')?.value;
  if (value === undefined || isEmpty(value)) return [];
  if (value.kind !== 'map') {
    reportShape(reading, value, "'processors' has to be a map with the keys 'logs', 'metrics' and 'traces'");
    return [];
  }
  return value.entries.flatMap(({ key, value: units, place }) => {
    const signal = key.toLowerCase();
    if (signal !== 'logs' && signal !== 'metrics' && signal !== 'traces') {
      report(reading, place, 'unknown_section', `'processors' has no part '${key}'.`, {
        remedy: "Use 'logs', 'metrics' and 'traces'.",
      });
      return [];
    }
    if (isEmpty(units)) return [];
    if (units.kind !== 'list') {
      reportShape(reading, units, `'${key}' of 'processors' has to be a list`);
      return [];
    }
    return units.items.flatMap((unit): Processor[] => {
      if (unit.kind === 'map')
        return [{ signal, place: unit.place, properties: readProperties(unit, 'written') }];
      reportShape(reading, unit, "Each processor has to be a map with a 'name'");
      return [];
    });
  });
}

function readProperties({ entries }: YamlMap, form: 'snake' | 'written'): ConfigProperty[] {
  // A loop, because large configurations spend their time here.
  const properties: ConfigProperty[] = [];
  for (const { key, place, value } of entries) {
    const name = form === 'snake' ? toSnakeCase(key) : key.toLowerCase();
    if (name === 'processors') continue;
    if (value.kind === 'text') properties.push({ name, written: key, value: value.text, place });
    else if (isListOfTexts(value) && !structures.has(name)) {
      for (const item of value.items) {
        if (item.kind === 'text') properties.push({ name, written: key, value: item.text, place });
      }
    } else properties.push({ name, written: key, value: undefined, place });
  }
  return properties;
}

function isListOfTexts(node: YamlNode): node is YamlList {
  return node.kind === 'list' && node.items.every(({ kind }) => kind === 'text');
}

/** As Fluent Bit translates a key: camelCase only if it begins in lower case and has no underscore. */
function toSnakeCase(key: string): string {
  if (!/[A-Z]/.test(key)) return key;
  if (!/^[a-z]/.test(key) || key.includes('_')) return key.toLowerCase();
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function entryOf({ entries }: YamlMap, name: string): string | undefined {
  const value = entries.find(({ key }) => key.toLowerCase() === name)?.value;
  return value?.kind === 'text' ? value.text : undefined;
}

function isEmpty(node: YamlNode): boolean {
  return node.kind === 'text' && node.text === '';
}

function reportShape(reading: Reading, node: YamlNode, message: string): void {
  report(reading, node.place, 'wrong_shape', `${message}, and is ${nameKind(node)}.`, {
    remedy: 'Look at the indentation and at the dashes of the list.',
  });
}

function report(
  { findings }: Reading,
  place: Place,
  code: FindingCode,
  message: string,
  { remedy }: { readonly remedy: string },
): void {
  findings.push({ severity: 'error', code, message, remedy, ...place });
}
