import type { Finding } from './finding.ts';
import type { ConfigSection } from './reading/config-section.ts';
import { parseYaml } from './reading/parse-yaml.ts';
import { readClassic } from './reading/read-classic.ts';
import { readYaml } from './reading/read-yaml.ts';
import type { YamlEntry, YamlNode } from './reading/yaml-node.ts';
import type { ConfigFormat } from './validate-fleet-config.ts';
import { hideVariables, showVariables } from './variables.ts';
import { writeYaml } from './writing/write-yaml.ts';

export type ConvertedConfig =
  | { readonly text: string }
  /** What the other format cannot say, or what cannot be read. */
  | { readonly findings: readonly Finding[] };

/**
 * Writes a configuration in another format. What Fluent Bit reads of it stays the same; comments are lost. The classic format knows no
 * processors, no parsers, and no values of several lines.
 */
export function convertConfig(text: string, from: ConfigFormat, to: ConfigFormat): ConvertedConfig {
  if (from === to) return { text };
  const converted = convert(hideVariables(text), from, to);
  return 'text' in converted ? { text: showVariables(converted.text) } : converted;
}

function convert(text: string, from: ConfigFormat, to: ConfigFormat): ConvertedConfig {
  if (from === 'classic') {
    const read = readClassic(text);
    if (read.findings.length > 0) return { findings: read.findings };
    const node = toNode(read);
    return { text: to === 'json' ? toJson(node) : writeYaml(node) };
  }
  if (to === 'classic') return toClassic(text);
  const parsed = parseYaml(text);
  if ('findings' in parsed) return parsed;
  return { text: to === 'json' ? toJson(parsed.node) : writeYaml(parsed.node) };
}

const nowhere = { line: 1, column: 1 };

const text = (value: string): YamlNode => ({ kind: 'text', text: value, place: nowhere });
const list = (items: readonly YamlNode[]): YamlNode => ({
  kind: 'list',
  items,
  place: nowhere,
  isFlow: false,
});
const map = (entries: readonly (readonly [key: string, value: YamlNode])[]): YamlNode => ({
  kind: 'map',
  entries: entries.map(([key, value]): YamlEntry => ({ key, place: nowhere, value })),
  place: nowhere,
  isFlow: false,
});

function toNode({ sections, includes, variables }: ReturnType<typeof readClassic>): YamlNode {
  const ofKind = (kind: ConfigSection['kind']) => sections.filter((section) => section.kind === kind);
  const listed = (kind: ConfigSection['kind']) =>
    list(ofKind(kind).map((section) => map(toEntries(section))));
  const has = (kind: ConfigSection['kind']) => ofKind(kind).length > 0;
  const kinds = (['input', 'filter', 'output'] as const).filter(has);
  return map([
    ...(variables.length > 0
      ? [['env', map(variables.map(([name, value]) => [name, text(value)]))] as const]
      : []),
    ...(includes.length > 0
      ? [['includes', list(includes.map((include) => text(include.text.trim())))] as const]
      : []),
    ...(has('service') ? [['service', map(ofKind('service').flatMap(toEntries))] as const] : []),
    ...(has('custom') ? [['customs', listed('custom')] as const] : []),
    ...(kinds.length > 0
      ? [['pipeline', map(kinds.map((kind) => [`${kind}s`, listed(kind)] as const))] as const]
      : []),
  ]);
}

/** Keys as they are looked up, since a key in upper case would be translated differently in YAML. */
function toEntries({ properties }: ConfigSection): (readonly [string, YamlNode])[] {
  const names = [...new Set(properties.map(({ name }) => name))];
  return names.map((name) => {
    const values = properties.flatMap((property) => (property.name === name ? [property.value ?? ''] : []));
    const [first = ''] = values;
    return [name, values.length > 1 ? list(values.map(text)) : text(first)];
  });
}

function toClassic(written: string): ConvertedConfig {
  const { sections, includes, variables, findings } = readYaml(written);
  if (findings.length > 0) return { findings };
  const refused = sections.flatMap(explainInconvertible);
  if (refused.length > 0) return { findings: refused };
  const commands = [
    ...variables.map(([name, value]) => `@SET ${name}=${value}`),
    ...includes.map((include) => `@INCLUDE ${include.text}`),
  ];
  const blocks = sections.map(({ kind, properties }) =>
    [`[${kind.toUpperCase()}]`, ...properties.map(({ name, value }) => `    ${name} ${value}`)].join('\n'),
  );
  return { text: `${[...(commands.length > 0 ? [commands.join('\n')] : []), ...blocks].join('\n\n')}\n` };
}

function explainInconvertible({ kind, written, place, processors, properties }: ConfigSection): Finding[] {
  const finding = (what: string, at = place): Finding => ({
    severity: 'error',
    code: 'not_convertible',
    message: `The classic format has no ${what}.`,
    remedy: 'Use the YAML format, which agents ask for with fleet_config_legacy_format off.',
    ...at,
  });
  const isKnown =
    kind === 'service' || kind === 'custom' || kind === 'input' || kind === 'filter' || kind === 'output';
  return [
    ...(isKnown ? [] : [finding(`section for '${written}'`)]),
    ...(processors.length > 0 ? [finding('processors')] : []),
    ...properties.flatMap((property) => {
      const { value } = property;
      if (value === undefined) return [finding(`way to write '${property.written}'`, property.place)];
      if (/[\r\n]/.test(value))
        return [finding(`values of several lines, and '${property.written}' has one`, property.place)];
      return value.trim() === ''
        ? [finding(`empty values, and '${property.written}' has one`, property.place)]
        : [];
    }),
  ];
}

function toJson(node: YamlNode): string {
  return `${JSON.stringify(toValue(node), null, 2)}\n`;
}

function toValue(node: YamlNode): unknown {
  if (node.kind === 'text') return node.text;
  if (node.kind === 'list') return node.items.map(toValue);
  const values = new Map<string, unknown[]>();
  for (const { key, value } of node.entries) values.set(key, [...(values.get(key) ?? []), toValue(value)]);
  return Object.fromEntries(
    [...values].map(([key, [first, ...rest]]) => [key, rest.length > 0 ? [first, ...rest].flat() : first]),
  );
}
