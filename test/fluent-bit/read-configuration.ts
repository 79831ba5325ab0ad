import { parse } from 'yaml';

/** A section as Fluent Bit reads it: keys in lower case, in their order; a key may come more than once. */
export interface Section {
  /** `input`, `filter`, `output` or `custom`. */
  readonly kind: string;
  readonly properties: readonly (readonly [key: string, value: string])[];
}

/**
 * The classic format: a name in brackets, then indented lines of a key and its value. A value is the rest of its
 * line without the space around it; it has no quotes, escapes or comments of its own.
 */
export function readClassicFormat(text: string): Section[] {
  const sections: { kind: string; properties: [string, string][] }[] = [];
  for (const line of text.split('\n')) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, kind] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, key, value] = /^\s+(\S+)\s+(.*?)\s*$/.exec(line) ?? [];
    const section = sections.at(-1);
    if (kind !== undefined) sections.push({ kind: kind.toLowerCase(), properties: [] });
    else if (section !== undefined && key !== undefined && value !== undefined)
      section.properties.push([key.toLowerCase(), value]);
    else throw new Error(`not the classic format: ${line}`);
  }
  return sections;
}

/** The YAML format: every value is a text, and a list is a key that comes more than once. */
export function readYamlFormat(text: string): Section[] {
  const { pipeline } = parse(text, { schema: 'failsafe' }) as {
    pipeline: Record<string, Record<string, string | string[]>[]>;
  }; // the failsafe schema has texts, lists and maps alone; another shape fails in the lines below
  return Object.entries(pipeline).flatMap(([kinds, sections]) =>
    sections.map((section) => ({
      kind: kinds.replace(/s$/, ''),
      properties: Object.entries(section).flatMap(([key, values]) =>
        [values].flat().map((value) => [key.toLowerCase(), value] as const),
      ),
    })),
  );
}

/** Every value of a key, in their order. */
export function textsOf({ properties }: Section, key: string): string[] {
  return properties.flatMap(([name, value]) => (name === key ? [value] : []));
}

/** The value of a key that comes once; undefined where it is absent. */
export function textOf(section: Section, key: string): string | undefined {
  const values = textsOf(section, key);
  if (values.length > 1) throw new Error(`'${key}' comes more than once`);
  return values[0];
}

/** Replaces `${NAME}` in every value, as Fluent Bit does at its start. An unknown variable is empty. */
export function withEnvironment(
  sections: readonly Section[],
  environment: Readonly<Record<string, string>>,
): Section[] {
  return sections.map(({ kind, properties }) => ({
    kind,
    properties: properties.map(([key, value]) => [
      key,
      value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => environment[name] ?? ''),
    ]),
  }));
}
