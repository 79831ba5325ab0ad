import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isConsequenceOf } from './is-consequence-of.ts';

const samples = new URL('../../../samples/fluent-bit/', import.meta.url);

/** The faults of a recorded start: each error with its consequences. */
function faultsIn(texts: readonly string[]): string[][] {
  const faults: string[][] = [];
  for (const [index, text] of texts.entries()) {
    const previous = texts[index - 1];
    if (previous !== undefined && isConsequenceOf(text, previous)) faults.at(-1)?.push(text);
    else faults.push([text]);
  }
  return faults;
}

function errorsOf(sample: string): string[] {
  return readFileSync(new URL(sample, samples), 'utf8')
    .split('\n')
    .filter((line) => line.includes('[error]'));
}

describe('isConsequenceOf', () => {
  it.each([
    ['bad-plugin.conf.log', 2],
    ['bad-prop.conf.log', 2],
    ['bad-yaml.yaml.log', 3],
    ['filter.conf.log', 3],
    ['key.conf.log', 2],
    ['parsers-bad.conf.log', 4],
    ['portinuse.conf.log', 5],
    ['store.conf.log', 3],
    ['tls.conf.log', 4],
  ])('makes one fault of the recorded start %s with its %d errors', (sample, count) => {
    const errors = errorsOf(sample);
    expect(errors).toHaveLength(count);
    expect(faultsIn(errors)).toEqual([errors]);
  });

  it.each([
    [
      [
        "[filter:lua:lua.0] cannot access script '/fluent-bit/scripts/app.lua'",
        'Failed initialize filter lua.0',
        '[engine] filter initialization failed',
        '[lib] backend failed',
      ],
    ],
    [
      [
        "[luajit] error loading script: app.lua:3: '=' expected near 'x'",
        'Failed initialize filter lua.0',
        '[engine] filter initialization failed',
      ],
    ],
    [
      [
        '[output:kafka:events] config: no brokers defined',
        "[output] failed to initialize 'kafka' plugin",
        '[engine] output initialization failed',
      ],
    ],
    [
      [
        "[config] section 'dumy' tried to instance a plugin name that doesn't exist",
        '[reload] reloaded config is invalid. Reloading is halted',
      ],
    ],
    [
      [
        'Error: invalid configuration: exporters::otlp: requires a non-empty "endpoint"',
        '2026/11/21 00:31:20 collector server run finished with error: invalid configuration: exporters::otlp: requires a non-empty "endpoint"',
      ],
    ],
    [
      [
        `[luajit] error loading buffer: [string "fluentbit.lua"]:1: 'end' expected near '<eof>'`,
        'Failed pre_run callback on filter lua.0',
        '[engine] filter initialization failed',
      ],
    ],
    [
      [
        'Failed to start component: listen tcp 127.0.0.1:23973: bind: address already in use',
        'Error: cannot start pipelines: failed to start "otlp" receiver: listen tcp 127.0.0.1:23973: bind: address already in use',
      ],
    ],
    [
      [
        "Error resolving hostname with getaddrinfo(); host='logs.invalid', error='-2', error_str='Name or service not known'",
        "Initiating connection failed, reconnecting; time_reopen='2'",
      ],
    ],
    [
      [
        "rsyslogd: module name 'omfiel' is unknown [v8.2302.0 try https://www.rsyslog.com/e/2209 ]",
        "rsyslogd: error during parsing file syntax.conf, on or before line 3: errors occurred in file 'syntax.conf' around line 3 [v8.2302.0 try https://www.rsyslog.com/e/2207 ]",
        'rsyslogd: there are no active actions configured. Inputs would run, but no output whatsoever were created. [v8.2302.0 try https://www.rsyslog.com/e/2103 ]',
        'rsyslogd: run failed with error -2103 (see rsyslog.h or try https://www.rsyslog.com/e/2103 to learn what that number means)',
      ],
    ],
    [
      [
        "Parse error in file `syntax.conf', line 6 near `<newline>': block not closed",
        'yyparse returned error #1',
        "configfile: Cannot read file `syntax.conf'.",
        'Unable to read config file syntax.conf.',
        'Error: Parsing the config file failed!',
      ],
    ],
    [
      [
        'tail plugin: utils_tail: stat (/nonexistent/app.log) failed: No such file or directory',
        'utils_tail: cu_tail_read: cu_tail_readline failed.',
        'tail_match: cu_tail_read failed.',
        'tail plugin: tail_match_read failed.',
        "read-function of plugin `tail-0' failed. Will suspend it for 4.000 seconds.",
      ],
    ],
  ])('makes one fault of %j', (texts) => {
    expect(faultsIn(texts)).toEqual([texts]);
  });

  it.each([
    ['another plugin', 'Failed initialize filter grep.0', '[filter:lua:lua.0] cannot access script'],
    [
      'another output',
      "[output] failed to initialize 'loki' plugin",
      '[output:es:es.0] HTTP status=401 URI=/_bulk',
    ],
    [
      'another address',
      '[input:tcp:tcp.1] could not initialize downstream on 0.0.0.0:5170. Aborting',
      '[downstream] could not bind address 0.0.0.0:24224. Aborting',
    ],
    ['another kind', '[engine] output initialization failed', '[filter:lua:lua.0] cannot access script'],
    [
      'another component',
      'Error: cannot start pipelines: failed to start "otlp" receiver: listen tcp :4318: bind: address already in use',
      'Failed to start component: listen tcp :4317: bind: address already in use',
    ],
    [
      'another plugin of collectd',
      "read-function of plugin `nginx' failed. Will suspend it for 4.000 seconds.",
      'csv plugin: check_create_dir: mkdir (/data): No such file or directory',
    ],
    [
      'another number of rsyslog',
      'rsyslogd: run failed with error -2103 (see rsyslog.h)',
      "rsyslogd: could not open config file '/etc/rsyslog.conf': No such file or directory [v8.2302.0 try https://www.rsyslog.com/e/2104 ]",
    ],
    ['nothing', '[engine] input initialization failed', ''],
    ['itself', '[config] unknown processor', '[config] unknown processor'],
    [
      'lost data',
      "[engine] chunk '1-1795220971.5.flb' cannot be retried: task_id=0, input=dummy.0 > output=es.0",
      '[output:es:es.0] no upstream connections available',
    ],
  ])('keeps an error after %s', (_what, text, previous) => {
    expect(isConsequenceOf(text, previous)).toBe(false);
  });

  it('reads only the beginning of a text', () => {
    const text = 'Failed initialize filter lua.0';
    const previous = '[filter:lua:lua.0] function fold is not found';
    expect(isConsequenceOf(text, previous)).toBe(true);
    expect(isConsequenceOf(`${' '.repeat(2_048)}${text}`, previous)).toBe(false);
    expect(isConsequenceOf(text, `${' '.repeat(2_048)}${previous}`)).toBe(false);
  });
});
