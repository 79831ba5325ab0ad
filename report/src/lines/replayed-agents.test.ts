import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ErrorTexts } from './error-texts.ts';

const samples = new URL('../../../samples/', import.meta.url);

/** The different texts that are reported of what a real agent printed. */
function reportedOf(dialect: string, sample: string): string[] {
  const texts = new Set<string>();
  const stream = new ErrorTexts({
    level: 'error',
    dialect,
    now: () => 0,
    onText: (text) => texts.add(text),
    onDropped: () => texts.add('dropped'),
  });
  stream.read(readFileSync(new URL(sample, samples)));
  while (stream.step());
  stream.end();
  while (stream.step());
  return [...texts];
}

const stackOfExporter = `go.opentelemetry.io/collector/exporter/exporterhelper/internal.NewQueueSender.func1
\t/src/opentelemetry-collector/exporter/exporterhelper/internal/queue_sender.go:62
go.opentelemetry.io/collector/exporter/exporterhelper/internal/queuebatch.(*disabledBatcher[...]).Consume
\t/src/opentelemetry-collector/exporter/exporterhelper/internal/queuebatch/disabled_batcher.go:23
go.opentelemetry.io/collector/exporter/exporterhelper/internal/queue.(*asyncQueue[...]).Start.func1
\t/src/opentelemetry-collector/exporter/exporterhelper/internal/queue/async_queue.go:47
sync.(*WaitGroup).Go.func1
\t/usr/local/go/src/sync/waitgroup.go:258`;

const clientError =
  'Server returned with a 4XX (client errors) status code, which means we are not authorized or the URL is not found.';
const serverError = 'Server returned with a 5XX (server errors) status code, which indicates server failure.';
const answered = (text: string, status: number) =>
  `${text}; url='http://127.0.0.1:23993/x', status_code='${status}', driver='d_http2#0', location='down.conf:9:23'`;

const expected: Readonly<Record<string, readonly string[]>> = {
  'collectd/down.conf.log': [
    `tail plugin: utils_tail: stat (/nonexistent/app.log) failed: No such file or directory
utils_tail: cu_tail_read: cu_tail_readline failed.
tail_match: cu_tail_read failed.
tail plugin: tail_match_read failed.
read-function of plugin \`tail-0' failed. Will suspend it for <n> seconds.`,
    `nginx plugin: curl_easy_perform failed: Failed to connect to 127.0.0.1 port 23991 after <n> ms: Couldn't connect to server
read-function of plugin \`nginx' failed. Will suspend it for <n> seconds.`,
    'write_graphite plugin: Connecting to 127.0.0.1:23994 via tcp failed. The last error was: failed to connect to remote host: Connection refused',
    'csv plugin: check_create_dir: mkdir (/proc/nonexistent): No such file or directory',
    "Filter subsystem: Built-in target `write': Dispatching value to all write plugins failed with status -1.",
    "exec plugin: exec_read_one: error = exec plugin: Failed to execute ``/nonexistent/x'': No such file or directory",
  ],
  'collectd/missing-plugin.conf.log': [
    'plugin_load: Could not find plugin "nosuchplugin" in /usr/lib/collectd',
    'Error: Parsing the config file failed!',
  ],
  'collectd/syntax.conf.log': [
    `Parse error in file \`syntax.conf', line 6 near \`<newline>': block not closed
yyparse returned error #1
configfile: Cannot read file \`syntax.conf'.
Unable to read config file syntax.conf.
Error: Parsing the config file failed!`,
  ],
  'otelcol/bad-key.yaml.log': [
    `Error: failed to get config: cannot unmarshal the configuration: decoding failed due to the following error(s):

'receivers' error reading configuration for "otlp": decoding failed due to the following error(s):

'protocols.http' decoding failed due to the following error(s):

'otlpreceiver.HTTPConfig' has invalid keys: endpoitn`,
  ],
  'otelcol/down.yaml.log': [
    `[otlp_http/answers] Exporting failed. Dropping data. not retryable error: Permanent error: rpc error: code = Unauthenticated desc = error exporting items, request to http://127.0.0.1:23973/v1/logs responded with HTTP Status Code 401
${stackOfExporter}`,
    `[otlp_http/refused] Exporting failed. Dropping data. no more retries left: failed to make an HTTP request: Post "http://127.0.0.1:23972/v1/logs": dial tcp 127.0.0.1:23972: connect: connection refused
${stackOfExporter}`,
  ],
  'otelcol/in-use.yaml.log': [
    `Failed to start component: listen tcp 127.0.0.1:23973: bind: address already in use
Error: cannot start pipelines: failed to start "otlp" receiver: listen tcp 127.0.0.1:23973: bind: address already in use`,
  ],
  'rsyslogd/broken.conf.log': [
    "error during parsing file broken.conf, on or before line 2: invalid character '(' in object definition - is there an invalid escape sequence somewhere? [v8.2302.0 try https://www.rsyslog.com/e/2207 ]",
    `error during parsing file broken.conf, on or before line 2: syntax error on token 'type' [v8.2302.0 try https://www.rsyslog.com/e/2207 ]
could not interpret master config file 'broken.conf'. [v8.2302.0 try https://www.rsyslog.com/e/2207 ]`,
  ],
  'rsyslogd/down.conf.log': [
    'cannot connect to 127.0.0.1:23996: Connection refused [v8.2302.0 try https://www.rsyslog.com/e/2027 ]',
    "file '/nonexistent/dir/out': open error: No such file or directory [v8.2302.0 try https://www.rsyslog.com/e/2040 ]",
  ],
  'rsyslogd/syntax.conf.log': [
    `module name 'omfiel' is unknown [v8.2302.0 try https://www.rsyslog.com/e/2209 ]
error during parsing file syntax.conf, on or before line 3: errors occurred in file 'syntax.conf' around line 3 [v8.2302.0 try https://www.rsyslog.com/e/2207 ]
there are no active actions configured. Inputs would run, but no output whatsoever were created. [v8.2302.0 try https://www.rsyslog.com/e/2103 ]
run failed with error -2103 (see rsyslog.h or try https://www.rsyslog.com/e/2103 to learn what that number means)`,
  ],
  'syslog-ng/down.conf.log': [
    `Error resolving hostname with getaddrinfo(); host='no-such-host.invalid', error='-2', error_str='Name or service not known'
Initiating connection failed, reconnecting; time_reopen='2'`,
    "Child program exited with command not found, stopping the destination.; cmdline='/nonexistent/prog', status='32512'",
    "Syslog connection failed; fd='<n>', server='AF_INET(127.0.0.1:23999)', error='Connection refused (111)', time_reopen='2'",
    "Error opening file for writing; filename='/nonexistent/dir/out.log', error='No such file or directory (2)'",
    "curl: error sending HTTP request; url='http://127.0.0.1:23998/x', error='Couldn\\'t connect to server', worker_index='0', driver='d_http#0', location='down.conf:8:22'",
    answered(clientError, 403),
    answered(serverError, 500),
    "I/O error occurred while writing; fd='<n>', error='Broken pipe (32)'",
  ],
  'syslog-ng/syntax.conf.log': [
    "Error parsing config, syntax error, unexpected LL_IDENTIFIER, expecting '}' in syntax.conf:3:22-3:26:",
  ],
};

describe('what a real agent printed', () => {
  it('is tried with every sample', () => {
    const names = ['collectd', 'otelcol', 'rsyslogd', 'syslog-ng'].flatMap((agent) =>
      readdirSync(new URL(`${agent}/`, samples))
        .filter((name) => name.endsWith('.log'))
        .map((name) => `${agent}/${name}`),
    );
    expect(names).toEqual(Object.keys(expected));
  });

  it.each(Object.entries(expected))('is reported cause by cause: %s', (sample, texts) => {
    const [agent = ''] = sample.split('/');
    expect(reportedOf(agent, sample)).toEqual(texts);
  });
});
