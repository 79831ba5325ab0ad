/** Names of properties by their type. */
type Properties = Readonly<Record<string, readonly string[]>>;

/** What `fluent-bit -J` prints, without descriptions and defaults, and with what all plugins of a kind accept written once. */
export interface RecordedSchema {
  readonly version: string;
  /** `null`: the plugin does not say which properties it accepts. */
  readonly plugins: Readonly<
    Record<
      'custom' | 'input' | 'filter' | 'output' | 'processor',
      Readonly<Record<string, Properties | null>>
    >
  >;
  readonly shared: Readonly<Record<string, Properties>>;
}

interface PrintedPlugin {
  readonly name: string;
  readonly properties?: Readonly<
    Record<string, readonly { readonly name: string; readonly type: string }[] | undefined>
  >;
}

interface PrintedSchema {
  readonly 'fluent-bit': { readonly version: string };
  readonly [kinds: string]: unknown;
}

const kinds = ['custom', 'input', 'filter', 'output', 'processor'] as const;

/** Accepted by the engine for every plugin of a kind; `fluent-bit -J` does not print them. */
const unprinted: Readonly<Record<(typeof kinds)[number], Properties>> = {
  custom: { string: ['name', 'alias', 'log_level'] },
  input: {
    string: ['name', 'listen', 'host', 'port', 'ipv6', 'routes', 'telemetry', 'active', 'condition'],
  },
  filter: { string: ['name', 'active', 'condition'] },
  output: {
    string: ['name', 'host', 'port', 'ipv6', 'routes', 'active', 'condition'],
    integer: ['workers'],
    size: ['storage.total_limit_size'],
  },
  processor: { string: ['name', 'alias', 'log_level', 'active', 'condition'] },
};

/**
 * Makes a recorded schema of the output of `fluent-bit -J`.
 *
 * @throws Error if the text is not such output
 */
export function recordSchema(printed: string): RecordedSchema {
  const schema = JSON.parse(printed) as Partial<PrintedSchema>; // what matters of it is checked below
  const version = schema['fluent-bit']?.version;
  if (version === undefined || !kinds.every((kind) => Array.isArray(schema[`${kind}s`]))) {
    throw new Error("This is not what 'fluent-bit -J' prints.");
  }
  const pluginsOf = (kind: string) => schema[`${kind}s`] as readonly PrintedPlugin[]; // an array, as was just seen
  return {
    version,
    plugins: {
      custom: recordPlugins(pluginsOf('custom')),
      input: recordPlugins(pluginsOf('input')),
      filter: recordPlugins(pluginsOf('filter')),
      output: recordPlugins(pluginsOf('output')),
      processor: recordPlugins(pluginsOf('processor')),
    },
    shared: Object.fromEntries(
      kinds.map((kind) => {
        const printedOptions = pluginsOf(kind).flatMap(({ properties }) =>
          Object.entries(properties ?? {}).flatMap(([group, options]) =>
            group === 'options' ? [] : (options ?? []),
          ),
        );
        const known = Object.entries(unprinted[kind]).flatMap(([type, names]) =>
          names.map((name) => ({ name, type })),
        );
        return [kind, namesByType([...known, ...printedOptions])];
      }),
    ),
  };
}

function recordPlugins(plugins: readonly PrintedPlugin[]): Record<string, Properties | null> {
  return Object.fromEntries(
    plugins
      .map(({ name, properties }) => {
        const options = properties?.options;
        return [name.toLowerCase(), options === undefined ? null : namesByType(options)] as const;
      })
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

function namesByType(options: readonly { readonly name: string; readonly type: string }[]): Properties {
  const names = new Map<string, Set<string>>();
  for (const { name, type } of options) {
    const known = names.get(type) ?? new Set();
    names.set(type, known.add(name.toLowerCase()));
  }
  return Object.fromEntries(
    [...names]
      .map(([type, all]) => [type, [...all].sort()] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}
