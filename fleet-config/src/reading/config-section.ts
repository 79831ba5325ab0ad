import type { Finding, Place } from '../finding.ts';

/** The kinds that mean something to Fluent Bit, in the singular, as the classic format writes them. */
export const sectionKinds = [
  'service',
  'custom',
  'input',
  'filter',
  'output',
  'parser',
  'multiline_parser',
  'stream_processor',
  'plugins',
  'upstream_servers',
] as const;

type SectionKind = (typeof sectionKinds)[number];

/** A part of a configuration with a kind of its own: `[INPUT]`, or an element of `pipeline.inputs`. */
export interface ConfigSection {
  readonly kind: SectionKind | 'other';
  /** As it is written, for messages. */
  readonly written: string;
  readonly place: Place;
  readonly properties: readonly ConfigProperty[];
  /** Of the YAML format only. */
  readonly processors: readonly Processor[];
}

/** What a processor of an input or output runs: a filter, or a plugin that is a processor only. */
export interface Processor {
  readonly signal: 'logs' | 'metrics' | 'traces';
  readonly place: Place;
  readonly properties: readonly ConfigProperty[];
}

/** A key that comes several times, or whose value is a list, is several properties. */
export interface ConfigProperty {
  /** As Fluent Bit looks it up: in lower case, and in snake_case if the YAML format writes it in camelCase. */
  readonly name: string;
  readonly written: string;
  /** Undefined if the value is a map, or a list that is not of texts. */
  readonly value: string | undefined;
  readonly place: Place;
}

export interface PlacedText {
  readonly text: string;
  readonly place: Place;
}

/** A configuration as Fluent Bit reads it. */
export interface ReadConfig {
  readonly sections: readonly ConfigSection[];
  /** Paths and patterns of further files. */
  readonly includes: readonly PlacedText[];
  /** Variables that the configuration sets: `@SET`, or `env`. */
  readonly variables: readonly (readonly [name: string, value: string])[];
  /** What keeps Fluent Bit from reading it. */
  readonly findings: readonly Finding[];
}

/** The value of a property; undefined if it is absent or no text. */
export function textOf(section: Pick<ConfigSection, 'properties'>, name: string): string | undefined {
  return section.properties.find((property) => property.name === name)?.value;
}
