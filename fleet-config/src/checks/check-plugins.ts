import type { Finding } from '../finding.ts';
import {
  type ConfigProperty,
  type ConfigSection,
  type ReadConfig,
  textOf,
} from '../reading/config-section.ts';
import type { FluentBitSchema, PluginKind, PluginProperties } from '../schema/fluent-bit-schema.ts';
import { isVariable } from '../variables.ts';

/** What a configuration has that is checked against plugins. */
interface Checked {
  readonly kind: PluginKind;
  readonly section: Pick<ConfigSection, 'properties' | 'place'>;
}

const none: readonly Finding[] = [];

/** Names of plugins and of their properties, and values whose type Fluent Bit refuses. */
export function checkPlugins({ sections }: ReadConfig, schema: FluentBitSchema): Finding[] {
  // Plugins that are loaded from files are in no schema.
  const loadsPlugins = sections.some(
    (section) =>
      section.kind === 'plugins' ||
      (section.kind === 'service' && textOf(section, 'plugins_file') !== undefined),
  );
  return sections.flatMap(checkedPartsOf).flatMap((checked) => checkPlugin(checked, schema, loadsPlugins));
}

function checkedPartsOf(section: ConfigSection): Checked[] {
  const { kind } = section;
  if (kind !== 'custom' && kind !== 'input' && kind !== 'filter' && kind !== 'output') return [];
  return [
    { kind, section },
    ...section.processors.map((processor): Checked => ({ kind: 'processor', section: processor })),
  ];
}

function checkPlugin({ kind, section }: Checked, schema: FluentBitSchema, loadsPlugins: boolean): Finding[] {
  const named = section.properties.find(({ name }) => name === 'name');
  const name = named?.value;
  if (named === undefined || name === undefined) {
    return [
      {
        severity: 'error',
        code: 'missing_property',
        message: `This ${kind} has no 'name', so Fluent Bit does not know which plugin it is.`,
        remedy: "Add the property 'name'.",
        ...section.place,
      },
    ];
  }
  if (isVariable(name)) return [];
  const plugin = schema.find(kind, name) ?? (kind === 'processor' ? schema.find('filter', name) : undefined);
  if (plugin !== undefined) {
    const findings: Finding[] = [];
    for (const property of section.properties)
      findings.push(...checkProperty(property, plugin, `${kind} '${name}'`));
    return findings;
  }
  const nearest =
    schema.nearest(kind, name) ?? (kind === 'processor' ? schema.nearest('filter', name) : undefined);
  const elsewhere = otherKindOf(name, kind, schema);
  return [
    {
      severity: loadsPlugins ? 'warning' : 'error',
      code: 'unknown_plugin',
      message: `Fluent Bit ${schema.version} has no ${kind} '${name}'${elsewhere === undefined ? '' : `, but ${withArticle(elsewhere)} of this name`}.`,
      ...(nearest !== undefined && { remedy: `Use '${nearest}'.` }),
      ...named.place,
    },
  ];
}

function otherKindOf(name: string, kind: PluginKind, schema: FluentBitSchema): PluginKind | undefined {
  const kinds = ['input', 'filter', 'output'] as const;
  return kinds.find((other) => other !== kind && schema.find(other, name) !== undefined);
}

function withArticle(kind: PluginKind): string {
  return `${/^[io]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

function checkProperty(
  property: ConfigProperty,
  plugin: PluginProperties,
  owner: string,
): readonly Finding[] {
  const { name, written, value, place } = property;
  const type = plugin.typeOf(name);
  // What takes any value, as most properties do, is done with at once.
  if (type === 'string') return none;
  if (type === undefined) {
    // The engine's own switches for tests, and the properties of a credential that it hands on.
    if (name.startsWith('_debug.') || name.startsWith('oauth2')) return none;
    const nearest = plugin.nearest(name);
    return [
      {
        severity: 'error',
        code: 'unknown_property',
        message: `The ${owner} has no property '${written}'.`,
        remedy: nearest === undefined ? 'Remove it.' : `Use '${nearest}'.`,
        ...place,
      },
    ];
  }
  if (type === 'deprecated') {
    return [
      {
        severity: 'warning',
        code: 'unknown_property',
        message: `'${written}' of the ${owner} is deprecated.`,
        remedy: 'Remove it.',
        ...place,
      },
    ];
  }
  const wanted = value === undefined || isVariable(value) ? undefined : explainWrongValue(type, value);
  return wanted === undefined
    ? none
    : [
        {
          severity: 'error',
          code: 'bad_value',
          message: `'${written}' of the ${owner} has to be ${wanted}.`,
          remedy: 'Correct the value.',
          ...place,
        },
      ];
}

/** What a value has to be that Fluent Bit refuses; undefined if it accepts it. Numbers, sizes and times are never refused: Fluent Bit reads what it can. */
function explainWrongValue(type: string, value: string): string | undefined {
  if (type === 'boolean') {
    return /^(?:on|off|true|false|yes|no)$/i.test(value) ? undefined : "'on' or 'off'";
  }
  const [, separator, minimum] = /^(comma|space) delimited strings \(minimum (\d+)\)$/.exec(type) ?? [];
  if (separator === undefined || minimum === undefined) return undefined;
  const parts = value.split(separator === 'comma' ? ',' : /\s+/).filter((part) => part.trim() !== '');
  return parts.length >= Number(minimum)
    ? undefined
    : `at least ${minimum} texts with ${separator === 'comma' ? 'commas' : 'spaces'} between them`;
}
