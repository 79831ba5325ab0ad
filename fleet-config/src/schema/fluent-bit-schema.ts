import { nearestName } from '@muster/contract';
import recorded from './fluent-bit-5.1.1.json' with { type: 'json' };
import type { RecordedSchema } from './record-schema.ts';

/** The kinds of plugins that a configuration names. A processor is a plugin of its own kind, or a filter. */
export type PluginKind = keyof RecordedSchema['plugins'];

/** The plugins of one version of Fluent Bit, and their properties. */
export class FluentBitSchema {
  readonly version: string;
  readonly #plugins: ReadonlyMap<PluginKind, ReadonlyMap<string, PluginProperties>>;
  readonly #shared: ReadonlyMap<PluginKind, ReadonlyMap<string, string>>;

  constructor({ version, plugins, shared }: RecordedSchema) {
    const kinds = Object.keys(plugins) as PluginKind[]; // the keys of a type without further ones
    this.version = version;
    this.#shared = new Map(kinds.map((kind) => [kind, typesByName(shared[kind] ?? {})]));
    this.#plugins = new Map(
      kinds.map((kind) => [
        kind,
        new Map(
          Object.entries(plugins[kind]).map(([name, properties]) => [
            name,
            new PluginProperties(properties, this.#shared.get(kind) ?? new Map()),
          ]),
        ),
      ]),
    );
  }

  /** A plugin by its name, or by an address whose scheme is its name; undefined if the kind has no such plugin. */
  find(kind: PluginKind, written: string): PluginProperties | undefined {
    const name = written.toLowerCase();
    return this.#plugins.get(kind)?.get(name.includes('://') ? name.slice(0, name.indexOf('://')) : name);
  }

  nearest(kind: PluginKind, written: string): string | undefined {
    return nearestName(written, [...(this.#plugins.get(kind)?.keys() ?? [])]);
  }
}

/** The properties that one plugin accepts. */
export class PluginProperties {
  /** Without it, the plugin looks its properties up itself, and nothing says which there are. */
  readonly #own: ReadonlyMap<string, string> | undefined;
  readonly #shared: ReadonlyMap<string, string>;
  readonly #prefixes: readonly string[];

  constructor(own: Readonly<Record<string, readonly string[]>> | null, shared: ReadonlyMap<string, string>) {
    this.#own = own === null ? undefined : typesByName(own);
    this.#shared = shared;
    this.#prefixes = own?.['prefixed string'] ?? [];
  }

  /** The type of a property, in the words of the schema; `any` if it is accepted unseen, undefined if it is unknown. */
  typeOf(name: string): string | undefined {
    const known = this.#shared.get(name) ?? this.#own?.get(name);
    if (known !== undefined) return known;
    if (this.#own === undefined && !name.startsWith('net.')) return 'any';
    return this.#prefixes.some((prefix) => name.startsWith(prefix) && name.length > prefix.length)
      ? 'string'
      : undefined;
  }

  nearest(name: string): string | undefined {
    return nearestName(name, [...(this.#own?.keys() ?? []), ...this.#shared.keys()]);
  }
}

/** What Fluent Bit 5.1.1 has with all plugins that its default build contains. */
export const fluentBitSchema = new FluentBitSchema(recorded);

function typesByName(namesByType: Readonly<Record<string, readonly string[]>>): Map<string, string> {
  return new Map(
    Object.entries(namesByType).flatMap(([type, names]) => names.map((name) => [name, type] as const)),
  );
}
