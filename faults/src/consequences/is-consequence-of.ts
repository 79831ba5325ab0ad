/**
 * True if an agent prints `text` only because of the error that it printed right before, `previous`: one fault of a start is one error, with its
 * consequences as further lines. Each text may have the time and level of a log line before it. A text that stands alone is nobody's consequence.
 */
export function isConsequenceOf(text: string, previous: string): boolean {
  const read = text.slice(0, maxReadLength);
  const before = previous.slice(0, maxReadLength);
  return sequences.some(({ consequence, follows }) => {
    const found = consequence.exec(read);
    return found !== null && follows(before, found[1] ?? '');
  });
}

/** Fixed parts are at the beginning of a line. A consequence of the Collector repeats the text of its cause. */
const maxReadLength = 2_048;

interface Sequence {
  readonly consequence: RegExp;
  /** `named` is what the first group of `consequence` matched. */
  readonly follows: (previous: string, named: string) => boolean;
}

const after =
  (...parts: readonly string[]): Sequence['follows'] =>
  (previous) =>
    parts.some((part) => previous.includes(part));

/** A plugin that cannot start prints its name as `[filter:lua:lua.0]`, `[filter:lua:ALIAS]` or `[filter lua.0]`. */
const afterPlugin =
  (kind: string): Sequence['follows'] =>
  (previous, name) => {
    const plugin = name.replace(/\.\d+$/, '');
    return (
      previous.includes(`[${kind}:${plugin}:`) ||
      previous.includes(`[${kind} ${name}]`) ||
      (librariesOfPlugins[plugin] ?? []).some((library) => previous.includes(library))
    );
  };

/** Texts of libraries that name no plugin, by the plugin that uses them. */
const librariesOfPlugins: Readonly<Record<string, readonly string[]>> = {
  lua: ['[luajit] ', '[filter_lua] '],
};

const startOfKind = (kind: string, ...parts: readonly string[]): Sequence => ({
  consequence: new RegExp(String.raw`\[engine\] ${kind} initialization failed`),
  follows: after(`[${kind}:`, `[${kind} `, `[${kind}] `, 'unknown configuration property ', ...parts),
});

/** What the sources of the agents print in this order. */
const sequences: readonly Sequence[] = [
  // Fluent Bit: a socket that is in use, from the network to the engine.
  {
    consequence: /\[downstream\] could not bind address /,
    follows: after('Error binding socket', 'Error setting up the listener', 'Cannot listen on '),
  },
  {
    consequence: /could not initialize downstream on (\S+)\. Aborting/,
    follows: (previous, address) => previous.includes(`[downstream] could not bind address ${address}. `),
  },
  // Fluent Bit: a plugin that cannot start.
  ...(['input', 'filter', 'custom'] as const).map((kind) => ({
    consequence: new RegExp(String.raw`[fF]ailed (?:initialize|pre_run callback on) ${kind} (\S+)`),
    follows: afterPlugin(kind),
  })),
  {
    consequence: /\[output\] [fF]ailed to initialize '([^']+)' plugin/,
    follows: (previous, plugin) => previous.includes(`[output:${plugin}:`),
  },
  startOfKind('input', 'failed initialize ', 'Failed initialize ', 'failed while registering ring buffer '),
  startOfKind('filter', 'Failed initialize filter ', 'Failed pre_run callback on filter '),
  startOfKind('output'),
  { consequence: /\[lib\] backend failed/, follows: after('[engine] ') },
  // Fluent Bit: files of certificates, and the store on disk.
  { consequence: /\[tls\] could not create TLS backend/, follows: after('[tls] ') },
  {
    consequence: /\[(?:input|output) \S+\] error initializing TLS context/,
    follows: after('[tls] could not create TLS backend'),
  },
  {
    consequence: /\[storage\] error initializing storage engine/,
    follows: after('[storage] [', '[storage] instance '),
  },
  { consequence: /\[engine\] storage creation failed/, follows: after('[storage] ') },
  {
    consequence: /could not open\/create database|failed to (?:open|create) database/,
    follows: after('[sqldb] '),
  },
  // Fluent Bit: a configuration that cannot be read.
  { consequence: /\[config\] hint: check line /, follows: after('[config] invalid YAML') },
  { consequence: /(?:^|\] )file=\S+$/, follows: after('flb_cf_fluentbit.c:') },
  {
    consequence: /\[config\] could not configure service property '(?:parsers|plugins|streams)_file'/,
    follows: after('file=', 'flb_cf_fluentbit.c:', '[parser', '[multiline', '[plugin] '),
  },
  {
    consequence: /configuration file contains (?:format )?errors, aborting/,
    follows: after(
      '[config] ',
      'file=',
      'flb_cf_fluentbit.c:',
      '[read_glob] ',
      '[parser',
      '[multiline',
      '[plugin] ',
    ),
  },
  {
    consequence: /\[reload\] .{0,80}(?:Reloading is halted|Reloading is aborted)/,
    follows: after('[config] ', '[reload] ', '[filter] NO match rule for ', '[engine] '),
  },
  // The Collector prints the reason of its end twice.
  {
    consequence: /collector server run finished with error: ([^\n]+)/,
    follows: (previous, reason) => previous.includes(reason),
  },
  {
    consequence: /Error: cannot start pipelines: failed to start "[^"]+" \w+: ([^\n]+)/,
    follows: (previous, reason) =>
      previous.includes('Failed to start component') && previous.includes(reason),
  },
  // syslog-ng: an address that cannot be resolved or reached.
  {
    consequence: /^(?:\[\S+\] )?Initiating connection failed, reconnecting/,
    follows: after('Error resolving hostname', 'Error binding socket', 'Error connecting socket'),
  },
  // rsyslog: a configuration that cannot be read.
  {
    consequence: /error during parsing file .{1,512}: errors occurred in file /,
    follows: after('try https://www.rsyslog.com/e/'),
  },
  {
    consequence: /could not interpret master config file |there are no active actions configured/,
    follows: after('error during parsing file '),
  },
  {
    consequence: /run failed with error -(\d+)/,
    follows: (previous, code) => previous.includes(`try https://www.rsyslog.com/e/${code} `),
  },
  // collectd: a configuration that cannot be read, and a plugin that cannot be loaded or cannot read.
  { consequence: /yyparse returned error #/, follows: after('Parse error in file ') },
  { consequence: /configfile: Cannot read file /, follows: after('yyparse returned error #') },
  { consequence: /Unable to read config file /, follows: after('configfile: Cannot read file ') },
  {
    consequence: /Error: Parsing the config file failed!/,
    follows: after('Unable to read config file ', 'plugin_load: '),
  },
  {
    consequence: /plugin_load: Load plugin "[^"]{1,64}" failed with status /,
    follows: after('dlopen("'),
  },
  { consequence: /utils_tail: cu_tail_read: cu_tail_readline failed/, follows: after('utils_tail: ') },
  { consequence: /tail_match: cu_tail_read failed/, follows: after('utils_tail: cu_tail_read: ') },
  { consequence: /tail plugin: tail_match_read failed/, follows: after('tail_match: ') },
  {
    consequence: /read-function of plugin `(\w{1,64})(?:-\d{1,5})?' failed/,
    follows: (previous, plugin) => previous.includes(`${plugin} plugin: `),
  },
];
