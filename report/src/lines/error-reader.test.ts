import { describe, expect, it } from 'vitest';
import { lineFormats, type ReportLevel } from './error-line.ts';
import { ErrorReader } from './error-reader.ts';

/** Returns the errors found in lines, neither redacted nor cleaned. */
function read(
  lines: readonly string[],
  pattern?: RegExp,
  level: ReportLevel = 'error',
  dialect?: string,
): string[] {
  const errors: string[] = [];
  const formats = lineFormats(level, dialect);
  const reader = new ErrorReader({ formats, pattern, onError: (text) => errors.push(text) });
  for (const line of lines) reader.read(line);
  reader.flush();
  return errors;
}

const at = '2026-11-21T00:29:30.386Z';

describe('ErrorReader, on Fluent Bit', () => {
  it('reads errors, with and without colours', () => {
    expect(
      read([
        '[2026/11/21 00:29:28.356] [ info] [input:tail:tail.0] error scanning',
        '[2026/11/21 00:29:28.356] [error] [input:tail:tail.0] no such file',
        '[2026/11/21 00:29:28.356] [ warn] [engine] failed to flush chunk',
        '\u001b[1m[\u001b[0m2026/11/21 00:29:28.356\u001b[1m]\u001b[0m [\u001b[91merror\u001b[0m] [output:es:es.0] HTTP status=401',
      ]),
    ).toEqual(['[input:tail:tail.0] no such file', '[output:es:es.0] HTTP status=401']);
  });

  it('joins only the frames of a crash', () => {
    expect(
      read([
        '[2026/11/21 00:29:28] [engine] caught signal (SIGTERM)',
        '[2026/11/21 00:29:28] [engine] caught signal (SIGSEGV)',
        '#0  0x55d1a2b3c4d5      in  flb_free() at include/fluent-bit/flb_mem.h:127',
        '#1  0xffffffffffffffff  in  ???() at ???:0',
        'Fluent Bit v5.1.1',
      ]),
    ).toEqual([
      '[engine] caught signal (SIGSEGV)\n#0  0x55d1a2b3c4d5      in  flb_free() at include/fluent-bit/flb_mem.h:127\n#1  0xffffffffffffffff  in  ???() at ???:0',
    ]);
  });
});

describe('ErrorReader, on what Fluent Bit prints below an error', () => {
  const at = '[2026/11/21 00:29:28.356]';

  it.each([
    [
      '[output:es:es.0] HTTP status=401 URI=/_bulk, response:',
      [
        '{"error":{"root_cause":[{"type":"security_exception",',
        '"reason":"missing authentication credentials"}]},',
        '"status":401}',
      ],
    ],
    ['[output:http:http.0] collector:8080, HTTP status=404', ['{"detail":"There is no such route."}']],
    ['[output:es:es.0] error: Output', ['{"took":3,"errors":true}']],
    [
      '[output:http:http.0] proxy:3128, HTTP status=502',
      ['<html>', '<title>Bad Gateway</title>', '', '</html>'],
    ],
  ])('keeps the answer below %j', (first, body) => {
    const next = `${at} [error] [engine] chunk cannot be retried`;
    expect(read([`${at} [error] ${first}`, ...body, '', next])).toEqual([
      [first, ...body].join('\n'),
      '[engine] chunk cannot be retried',
    ]);
  });

  it('ignores later lines, such as those of its stdout output', () => {
    const error = '[output:es:es.0] HTTP status=401 URI=/_bulk';
    const records = [
      '{"date":1795220947.3,"message":"a"}',
      '[0] dummy.0: [[1795220947.3, {}], {"message"=>"a"}]',
    ];
    for (const record of records) expect(read([`${at} [error] ${error}`, record])).toEqual([error]);
    expect(read([`${at} [error] ${error}, response:`, records[1] ?? ''])).toEqual([`${error}, response:`]);
  });
});

describe('ErrorReader, on an error and its consequences', () => {
  const inUse = [
    '[error] Error binding socket',
    '[ warn] Cannot listen on 127.0.0.1 port 23960',
    '[error] [downstream] could not bind address 127.0.0.1:23960. Aborting',
    '[error] [input:tcp:tcp.0] could not initialize downstream on 127.0.0.1:23960. Aborting',
    '[error] failed initialize input tcp.0',
    '[error] [engine] input initialization failed',
  ];
  const error = `Error binding socket
[downstream] could not bind address 127.0.0.1:23960. Aborting
[input:tcp:tcp.0] could not initialize downstream on 127.0.0.1:23960. Aborting
failed initialize input tcp.0
[engine] input initialization failed`;
  const at = '[2026/11/21 00:29:28.356]';
  const other = `${at} [ info] [sp] stream processor started`;

  it('makes one error of them, also if records of other levels come between', () => {
    expect(read(inUse.map((line) => `${at} ${line}`))).toEqual([error]);
    expect(
      read(inUse.flatMap((line) => [...Array.from({ length: 3 }, () => other), `${at} ${line}`])),
    ).toEqual([error]);
  });

  it('keeps an error that is no consequence of the one before', () => {
    const errors = [
      '[downstream] could not bind address 127.0.0.1:1. Aborting',
      'failed initialize input tcp.0',
    ];
    expect(read(errors.map((text) => `${at} [error] ${text}`))).toEqual(errors);
    expect(read([`${at} [error] [engine] input initialization failed`])).toEqual([
      '[engine] input initialization failed',
    ]);
  });

  it('keeps a consequence whose error is long past', () => {
    const [first = '', ...more] = inUse.map((line) => `${at} ${line}`);
    const others = Array.from({ length: 9 }, () => other);
    expect(read([first, ...others, ...more])).toEqual([
      'Error binding socket',
      error.slice(error.indexOf('\n') + 1),
    ]);
  });

  it('joins no lines of the records between them', () => {
    const [first = '', , second = ''] = inUse.map((line) => `${at} ${line}`);
    expect(read([first, other, '  of the stream processor', second])).toEqual([
      'Error binding socket',
      '[downstream] could not bind address 127.0.0.1:23960. Aborting',
    ]);
  });
});

describe('ErrorReader, on warnings of Fluent Bit that data is lost', () => {
  const at = '[2026/11/21 00:29:28.356]';

  it.each([
    '[input] dummy.0 paused (mem buf overlimit - event of size 72B exceeded limit 10000 to 10008B)',
    "[net] getaddrinfo(host='no-such-host.invalid', err=4): Domain name not found",
  ])('reports %j as an error at every level', (text) => {
    const lines = [
      `${at} [ warn] ${text}`,
      `\u001b[1m[\u001b[0m2026/11/21 00:29:28.356\u001b[1m]\u001b[0m [\u001b[93m warn\u001b[0m] ${text}`,
    ];
    expect(read(lines)).toEqual([text, text]);
    expect(read(lines, undefined, 'warn')).toEqual([text, text]);
  });

  it('keeps the answer below them', () => {
    const lines = [
      `${at} [ warn] [output:splunk:splunk.1] http_status=403:`,
      '{"text":"Invalid token","code":4}',
    ];
    expect(read(lines)).toEqual([
      '[output:splunk:splunk.1] http_status=403:\n{"text":"Invalid token","code":4}',
    ]);
  });

  it('passes over other warnings', () => {
    expect(read([`${at} [ warn] [engine] service will shutdown in max 5 seconds`])).toEqual([]);
  });
});

describe('ErrorReader, on agents that print no severity', () => {
  const connect =
    'cannot connect to 127.0.0.1:23996: Connection refused [v8.2302.0 try https://www.rsyslog.com/e/2027 ]';
  const suspended =
    "action 'action-1-builtin:omfwd' suspended (module 'builtin:omfwd'), retry 0. [v8.2302.0 try https://www.rsyslog.com/e/2007 ]";
  const resumed =
    "action 'action-1-builtin:omfwd' resumed (module 'builtin:omfwd') [v8.2302.0 try https://www.rsyslog.com/e/2359 ]";

  it('takes the severity of rsyslog where it has one', () => {
    const lines = [
      `rsyslogd: ${connect}`,
      `rsyslog internal message (3,-2027): ${connect}`,
      `rsyslog internal message (4,-2007): ${suspended}`,
      `rsyslog internal message (6,-2359): ${resumed}`,
      `Nov 21 00:29:30 host rsyslogd[71]: ${suspended}`,
      `Nov 21 00:29:30 host rsyslogd[71]: ${resumed}`,
    ];
    expect(read(lines, undefined, 'error', 'rsyslogd')).toEqual([connect, connect]);
    expect(read(lines, undefined, 'warn', 'rsyslog')).toEqual([
      connect,
      connect,
      `[warn] ${suspended}`,
      `[warn] ${suspended}`,
    ]);
  });

  it('takes warnings of syslog-ng and collectd if they are requested', () => {
    const deferred = "Follow-mode file source not found, deferring open; filename='/nonexistent/app.log'";
    const stamped = `[2026-11-26T11:11:36.775096] ${deferred}`;
    expect(read([stamped], undefined, 'error', 'syslog-ng')).toEqual([]);
    expect(read([stamped], undefined, 'warn', 'syslog-ng')).toEqual([`[warn] ${deferred}`]);
    const notLoaded = "There is configuration for the `cpuu' plugin, but the plugin isn't loaded.";
    expect(read([notLoaded], undefined, 'error', 'collectd')).toEqual([]);
    expect(
      read([`[2026-11-26 11:12:07] [warning] ${notLoaded}`, notLoaded], undefined, 'warn', 'collectd'),
    ).toEqual([`[warn] ${notLoaded}`, `[warn] ${notLoaded}`]);
  });

  it('takes what collectd says of a missing file for an error, with no other word of one', () => {
    const missing = 'types_list: /usr/share/collectd/types.db: No such file or directory';
    expect(read([missing, 'Initialization complete'], undefined, 'error', 'collectd')).toEqual([missing]);
  });

  it('reads such lines of no other agent', () => {
    expect(
      read([`rsyslogd: ${connect}`, "Syslog connection failed; fd='13', error='Connection refused (111)'"]),
    ).toEqual([]);
  });

  it('reads no records that syslog-ng writes to the same stream', () => {
    expect(
      read(['sshd[17]: Failed password for root', 'app: an error'], undefined, 'error', 'syslog-ng'),
    ).toEqual([]);
  });
});

describe('ErrorReader, of warnings', () => {
  const lines: readonly (readonly [line: string, text: string])[] = [
    [
      "[2026/11/21 00:29:32.323] [ warn] [engine] failed to flush chunk '1-2.flb', retry in 6 seconds: task_id=0",
      "[warn] [engine] failed to flush chunk '1-2.flb', retry in 6 seconds: task_id=0",
    ],
    ['2026-11-21 00:29:31 +0000 [warn]: #0 failed to flush the buffer', '[warn] failed to flush the buffer'],
    [`${at}\twarn\tinternal/retry_sender.go:1\tExporting failed`, '[warn] Exporting failed'],
    ['{"level":"warn","msg":"Exporting failed"}', '[warn] Exporting failed'],
    [
      `${at}  WARN sink{component_id=es}: vector::sinks: Retrying`,
      '[warn] sink{component_id=es}: vector::sinks: Retrying',
    ],
    ['level=warning msg="disk nearly full"', '[warn] msg="disk nearly full"'],
    ['WARN: disk nearly full', '[warn] disk nearly full'],
  ];

  it.each(lines)('reads %j if warnings are requested', (line, text) => {
    expect(read([line], undefined, 'warn')).toEqual([text]);
    expect(read([line])).toEqual([]);
  });

  it('still reads errors', () => {
    expect(read(['[2026/11/21 00:29:28] [error] disk full', 'INFO no warning'], undefined, 'warn')).toEqual([
      'disk full',
    ]);
  });
});

describe('ErrorReader, on Fluentd', () => {
  it('joins the backtrace, whose lines have a time and a level of their own', () => {
    expect(
      read([
        '2026-11-21 00:29:30 +0000 [info]: #0 starting fluentd worker pid=12',
        '2026-11-21 00:29:30 +0000 [error]: #0 unexpected error error_class=Errno::EACCES error="Permission denied"',
        "  2026-11-21 00:29:30 +0000 [error]: #0 /usr/lib/ruby/fileutils.rb:243:in `mkdir'",
        "  2026-11-21 00:29:30 +0000 [error]: #0 /usr/lib/ruby/fileutils.rb:231:in `each'",
        '2026-11-21 00:29:31 +0000 [warn]: #0 retry',
        '2026-11-21 00:29:31 +0000 [fatal]: config error file="/etc/fluent.conf"',
      ]),
    ).toEqual([
      `unexpected error error_class=Errno::EACCES error="Permission denied"\n  /usr/lib/ruby/fileutils.rb:243:in \`mkdir'\n  /usr/lib/ruby/fileutils.rb:231:in \`each'`,
      'config error file="/etc/fluent.conf"',
    ]);
  });

  it('reads its JSON format', () => {
    expect(
      read(['{"time":"2026-11-21","level":"error","message":"no nodes are available","worker_id":0}']),
    ).toEqual(['no nodes are available']);
  });
});

describe('ErrorReader, on the OpenTelemetry Collector', () => {
  it('reads its console format, and joins the stack of Go', () => {
    expect(
      read([
        `${at}\tinfo\tservice@v0.96.0/service.go:165\tEverything is ready.`,
        `${at}\terror\texporterhelper/queue_sender.go:101\tExporting failed. Dropping data.\t{"kind": "exporter", "name": "otlp", "error": "connection refused", "dropped_items": 42}`,
        'go.opentelemetry.io/collector/exporter/exporterhelper.(*queueSender).Start.func1',
        '\t/home/runner/go/pkg/mod/exporterhelper/queue_sender.go:101',
        `${at}\tinfo\tservice/service.go:1\tStopped`,
      ]),
    ).toEqual([
      '[otlp] Exporting failed. Dropping data. connection refused\ngo.opentelemetry.io/collector/exporter/exporterhelper.(*queueSender).Start.func1\n\t/home/runner/go/pkg/mod/exporterhelper/queue_sender.go:101',
    ]);
  });

  it('reads its JSON format', () => {
    expect(
      read([
        '{"level":"info","ts":1700000000.1,"msg":"an error that is none"}',
        '{"level":"error","ts":1700000000.1,"caller":"x.go:1","msg":"Exporting failed","otelcol.component.id":"otlp/2","error":"EOF","stacktrace":"a.b\\n\\tc.go:1"}',
      ]),
    ).toEqual(['[otlp/2] Exporting failed: EOF\na.b\n\tc.go:1']);
  });

  it('reads its output after a wrong configuration', () => {
    expect(
      read([
        'Error: failed to get config: decoding failed due to the following error(s):',
        '',
        "'' has invalid keys: endpoitn",
        '2026/11/21 12:00:00 collector server run finished with error: failed to get config',
      ]),
    ).toEqual([
      "Error: failed to get config: decoding failed due to the following error(s):\n\n'' has invalid keys: endpoitn\ncollector server run finished with error: failed to get config",
    ]);
  });
});

describe('ErrorReader, on Vector', () => {
  it('reads errors, with and without colours', () => {
    const error =
      'sink{component_id=es}: vector::sinks: Request failed. error=401 internal_log_rate_limit=true';
    expect(
      read([
        `${at}  INFO vector::app: Log level is enabled. level="error"`,
        `${at} ERROR ${error}`,
        `\u001b[2m${at}\u001b[0m \u001b[31mERROR\u001b[0m ${error}`,
        `{"timestamp":"${at}","level":"ERROR","message":"Configuration error.","target":"vector"}`,
      ]),
    ).toEqual([error, error, 'Configuration error.']);
  });

  it('joins the message of a panic', () => {
    expect(
      read([
        "thread 'main' panicked at src/app.rs:12:5:",
        'called `Option::unwrap()` on a `None` value',
        'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
        `${at}  INFO vector: next`,
      ]),
    ).toEqual([
      "thread 'main' panicked at src/app.rs:12:5:\ncalled `Option::unwrap()` on a `None` value\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
    ]);
  });
});

describe('ErrorReader, on any program', () => {
  it.each([
    ['ERROR: disk full', 'disk full'],
    ['2026-11-21 12:00:00,123 ERROR disk full', 'disk full'],
    ['2026-11-21 12:00:00.123 [main] [ERROR] disk full', '[main] disk full'],
    ['[error] disk full', 'disk full'],
    ['error: disk full', 'error: disk full'],
    ['FATAL disk full', 'disk full'],
    ['time="2026-11-21T12:00:00Z" level=error msg="disk full"', 'msg="disk full"'],
    ['ts=2026-11-21T12:00:00Z level=fatal msg="disk full"', 'msg="disk full"'],
    ['{"severity":"CRITICAL","message":"disk full"}', 'disk full'],
    ['panic: runtime error: index out of range', 'panic: runtime error: index out of range'],
    ['Nov 21 00:29:30 host fluent-bit[71]: [2026/11/21 00:29:30] [error] disk full', 'disk full'],
    [`${at} stderr F [2026/11/21 00:29:30] [error] disk full`, 'disk full'],
    ['fluent-bit-1  | [2026/11/21 00:29:30] [error] disk full', 'disk full'],
    ['ERROR disk full\r', 'disk full'],
  ])('reads %j', (line, error) => {
    expect(read([line])).toEqual([error]);
  });

  it.each([
    'no error here',
    'There was an error: nothing',
    'Errors: 0',
    'INFO error count is 0',
    '[ info] [error] is the name of a plugin',
    '2026-11-21 12:00:00 WARN error rate is high',
    'level=info msg="no error"',
    'errors=0',
    'ERROR',
    '{"level":"error"}',
    '{"level":"error","msg":',
    '',
  ])('passes over %j', (line) => {
    expect(read([line])).toEqual([]);
  });

  it('joins stacks of Java and Python', () => {
    expect(
      read([
        'Exception in thread "main" java.lang.IllegalStateException: no',
        '\tat a.B.c(B.java:1)',
        'Caused by: java.io.IOException: disk full',
        '\t... 2 more',
        'Traceback (most recent call last):',
        '  File "a.py", line 1, in <module>',
        'ValueError: no',
      ]),
    ).toEqual([
      'Exception in thread "main" java.lang.IllegalStateException: no\n\tat a.B.c(B.java:1)\nCaused by: java.io.IOException: disk full\n\t... 2 more',
      'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: no',
    ]);
  });

  it('limits an error to 64 lines and 8,192 characters', () => {
    const [error = ''] = read(['error: first', ...Array.from({ length: 1_000 }, (_, index) => ` ${index}`)]);
    expect(error.split('\n')).toHaveLength(64);
    expect(read([`error: ${'x'.repeat(20_000)}`, ' more'])[0]).toHaveLength(8_192);
  });
});

describe('ErrorReader, with a pattern', () => {
  it('reports the match, or its first group, instead of the known formats', () => {
    expect(read(['E12 bad', ' frame', 'ERROR: unknown', 'I1 fine'], /^E\d+ .*/)).toEqual(['E12 bad\n frame']);
    expect(read(['E12 bad'], /^E\d+ (.*)/)).toEqual(['bad']);
  });
});
