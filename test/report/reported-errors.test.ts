import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { eventually, it, samples, texts } from './report-process.ts';

const badPlugin =
  "[config] section 'dumy' tried to instance a plugin name that doesn't exist\nconfiguration file contains errors, aborting.";

describe.concurrent('muster report -- agent', () => {
  it('reports the error of an agent that fails at its start, with the faulty configuration', async ({
    bench,
  }) => {
    const log = readFileSync(`${samples}bad-plugin.conf.log`, 'utf8');
    const agent = bench.makeAgent('fluent-bit', `${samples}bad-plugin.conf.log`);
    const ended = await bench.run(['--', agent, '-c', `${samples}bad-plugin.conf`]);
    expect(texts(ended)).toEqual({ code: 1, signal: null, stdout: '', stderr: log });
    expect(await bench.openErrors()).toEqual([[badPlugin, 1]]);
    expect(await bench.agents()).toEqual([
      expect.objectContaining({
        type: 'fluentbit',
        status: 'unhealthy',
        machineID: expect.stringMatching(/^[\da-f]{32}\.fluentbit$/),
        rawConfig: readFileSync(`${samples}bad-plugin.conf`, 'utf8'),
      }),
    ]);
  });

  it('registers once, and sends the configuration of a later start when it has changed', async ({
    bench,
  }) => {
    const agent = bench.makeAgent('fluent-bit', `${samples}bad-plugin.conf.log`);
    const config = join(bench.folder, 'fluent-bit.conf');
    writeFileSync(config, '[INPUT]\n    name dumy\n');
    await bench.run(['--', agent, '-c', config]);
    await bench.run(['--', agent, '-c', config]);
    expect(await bench.openErrors()).toEqual([[badPlugin, 2]]);
    expect(await bench.agents()).toHaveLength(1);
    writeFileSync(config, '[INPUT]\n    name dumy2\n');
    await bench.run(['--', agent, '-c', config]);
    expect(await bench.openErrors()).toEqual([
      [badPlugin, 1],
      [badPlugin, 2],
    ]);
    expect(await bench.agents()).toEqual([
      expect.objectContaining({ rawConfig: '[INPUT]\n    name dumy2\n' }),
    ]);
    const [registered] = await bench.agents();
    expect(bench.gate.requests.filter((request) => !/\/(errors|heartbeat)$/.test(request))).toEqual([
      'POST /v1/agents',
      `PATCH /v1/agents/${registered?.id}`,
    ]);
  });

  it('says that another name renames the agent of this host, and makes a second agent only with --instance', async ({
    bench,
  }) => {
    const failing = (...flags: string[]) =>
      bench.run([...flags, '--', 'sh', '-c', 'echo "[error] no memory" >&2; exit 1']).then(texts);
    const output = '[error] no memory\n';
    expect((await failing('--name', 'web-01')).stderr).toBe(output);
    expect((await failing('--name', 'web-01')).stderr).toBe(output);
    expect((await failing('--name', 'web-02')).stderr).toBe(
      `${output}muster: renamed agent 'web-01' to 'web-02': agents of one type on one host are one agent. For a second one, add --instance.\n`,
    );
    expect((await failing('--name', 'web-03', '--instance', 'second')).stderr).toBe(output);
    expect((await bench.agents()).map(({ name }) => name).toSorted()).toEqual(['web-02', 'web-03']);
  });

  it('registers a healthy agent with the version that it prints', async ({ bench }) => {
    const log = `${samples}tail-missing.conf.log`;
    const path = join(bench.folder, 'fluent-bit');
    writeFileSync(path, `#!/bin/sh\ngrep -v error '${log}' >&2\nexec sleep 60\n`, { mode: 0o755 });
    const report = bench.start(['--name', 'edge-7', '--', path]);
    const agents = await eventually(
      () => bench.agents(),
      ({ length }) => length > 0,
    );
    expect(agents).toEqual([
      expect.objectContaining({ name: 'edge-7', version: '5.1.1', status: 'healthy', rawConfig: null }),
    ]);
    report.process.kill('SIGTERM');
    expect((await report.ended).signal).toBe('SIGTERM');
    expect(await bench.openErrors()).toEqual([]);
  });

  it('reports while the agent runs, each text once however often it is repeated', async ({ bench }) => {
    const report = bench.start([
      '--watch',
      'stderr',
      '--',
      'sh',
      '-c',
      `cat '${samples}refused.conf.log' >&2; exec sleep 60`,
    ]);
    const expected = [
      "[engine] chunk '<chunk>' cannot be retried: task_id=<n>, input=dummy.0 > output=forward.0",
      "[engine] chunk '<chunk>' cannot be retried: task_id=<n>, input=dummy.0 > output=http.1",
      '[output:forward:forward.0] no upstream connections available',
      '[output:http:http.1] no upstream connections available to 127.0.0.1:9',
    ].map((text): [string, number] => [text, 1]);
    expect(
      await eventually(
        () => bench.openErrors(),
        ({ length }) => length >= 4,
      ),
    ).toEqual(expected);
    report.process.kill('SIGTERM');
    await report.ended;
    expect(await bench.openErrors()).toEqual(expected);
  });

  it('redacts, joins lines and cuts', async ({ bench }) => {
    const output = join(bench.folder, 'output');
    writeFileSync(
      output,
      [
        '[2026/11/21 00:29:28] [error] [output:es:es.0] cannot reach https://user:hunter2@es:9200/',
        '[2026/11/21 00:29:28] [error] Authorization: Bearer hunter2hunter2',
        'panic: out of range',
        'goroutine 1 [running]:',
        'main.main()',
        '\t/src/main.go:7 +0x18',
        `ERROR ${'😀'.repeat(1_100)}`,
        '',
      ].join('\n'),
    );
    await bench.run(['--', bench.makeAgent('fluent-bit', output)]);
    expect(await bench.openErrors()).toEqual([
      ['Authorization: --redacted--', 1],
      ['[output:es:es.0] cannot reach https://--redacted--@es:9200/', 1],
      ['panic: out of range\ngoroutine <n> [running]:\nmain.main()\n\t/src/main.go:7 +<address>', 1],
      [`${'😀'.repeat(1_023)}…`, 1],
    ]);
    expect(bench.test.logs.join('')).not.toContain('hunter2');
  });

  it('reports that an agent was killed, or ended without output', async ({ bench }) => {
    await bench.run(['--type', 'a', '--', 'sh', '-c', 'kill -KILL $$']);
    await bench.run(['--type', 'a', '--', 'sh', '-c', 'echo hello; exit 3']);
    await bench.run(['--type', 'a', '--', 'sh', '-c', 'kill -TERM $$']);
    expect(await bench.openErrors()).toEqual([
      ['[muster report] The agent ended with exit code 3 and printed no error.', 1],
      ['[muster report] The agent was ended by SIGKILL.', 1],
    ]);
  });

  it('reports why an agent failed that printed it in no known form, also after an error long ago', async ({
    bench,
  }) => {
    await bench.run(['--type', 'a', '--', 'tar', '-xf', '/nonexistent.tar']);
    await bench.run(['--type', 'a', '--', 'sh', '-c', 'echo data; echo "cannot open the queue" >&2; exit 4']);
    const late =
      'echo "ERROR late" >&2; i=0; while [ $i -lt 300 ]; do echo "status of the queue: $i of 300 items" >&2; i=$((i+1)); done; echo "queue broken, giving up: disk not found" >&2; exit 5';
    await bench.run(['--type', 'a', '--', 'sh', '-c', late]);
    await bench.run(['--type', 'a', '--', 'sh', '-c', 'echo "error: at the end" >&2; exit 6']);
    await bench.run(['--type', 'a', '--pattern', '^E1', '--', 'sh', '-c', 'echo "cannot read" >&2; exit 7']);
    expect(await bench.openErrors()).toEqual([
      [
        expect.stringMatching(
          /^\[muster report\] The agent ended with exit code 2: tar: \/nonexistent\.tar: Cannot open: No such file or directory\n/,
        ),
        1,
      ],
      ['[muster report] The agent ended with exit code 4: cannot open the queue', 1],
      ['[muster report] The agent ended with exit code 5: queue broken, giving up: disk not found', 1],
      ['[muster report] The agent ended with exit code 7: cannot read', 1],
      ['error: at the end', 1],
      ['late', 1],
    ]);
  });

  it.for([
    ['syslog-ng', 'syslog-ng/syntax.conf.log', /^Error parsing config, syntax error, /],
    [
      'rsyslogd',
      'rsyslogd/syntax.conf.log',
      /^module name 'omfiel' is unknown .*\n(?:.*\n){2}run failed with error -2103 /,
    ],
    [
      'collectd',
      'collectd/syntax.conf.log',
      /^Parse error in file .*\n(?:.*\n){3}Error: Parsing the config file failed!$/,
    ],
    ['otelcol', 'otelcol/in-use.yaml.log', /^Failed to start component: .*\nError: cannot start pipelines: /],
  ] as const)('reports one error of a start of %s that fails', async ([name, log, text], { bench }) => {
    await bench.run(['--type', 'edge', '--', bench.makeAgent(name, `${samples}../${log}`)]);
    expect(await bench.openErrors()).toEqual([[expect.stringMatching(text), 1]]);
  });

  it('reports matches of a custom pattern', async ({ bench }) => {
    const script = 'echo "E1 broken"; echo "error: not this"; echo "W2 fine"';
    let found: string[] = [];
    // A line is left out if the process had no turn for a quarter of a second just then, as if the pattern took that long.
    for (let attempt = 0; found.length === 0 && attempt < 20; attempt += 1) {
      await bench.run(['--pattern', '^E\\d+ (.*)', '--', 'sh', '-c', script]);
      found = (await bench.openErrors())
        .map(([text]) => text)
        .filter((text) => !text.startsWith('[muster report] '));
    }
    expect(found).toEqual(['broken']);
  });

  it('prints what it would report, and sends nothing, in a dry run', async ({ bench }) => {
    const agent = bench.makeAgent('fluent-bit', `${samples}bad-plugin.conf.log`);
    const { code, stderr } = texts(await bench.run(['--dry-run', '--', agent]));
    const log = readFileSync(`${samples}bad-plugin.conf.log`, 'utf8');
    expect([code, stderr]).toEqual([1, `${log}muster: would report: ${badPlugin}\n`]);
    expect(await bench.agents()).toEqual([]);
  });
});

describe.concurrent('muster report -', () => {
  it('reports errors in stdin, and prints nothing', async ({ bench }) => {
    const input = readFileSync(`${samples}tls.conf.log`);
    const ended = await bench.run(['--type', 'fluentbit', '-'], { input });
    expect(texts(ended)).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    expect(await bench.openErrors()).toEqual([
      [
        [
          "[tls] ca_file '/nonexistent/ca.pem' 268435584: error:80000002:system library::No such file or directory",
          '[tls] could not create TLS backend',
          '[output http.0] error initializing TLS context',
          '[engine] output initialization failed',
        ].join('\n'),
        1,
      ],
    ]);
    expect(await bench.agents()).toEqual([expect.objectContaining({ type: 'fluentbit' })]);
  });

  it('passes stdin on with --tee', async ({ bench }) => {
    const input = readFileSync(`${samples}refused.conf.log`);
    const ended = await bench.run(['--tee', '-'], { input });
    expect(ended.stdout.equals(input)).toBe(true);
  });

  it('prints each text that it would report once, in a dry run', async ({ bench }) => {
    const input = readFileSync(`${samples}es.conf.log`);
    const { stdout } = texts(await bench.run(['--dry-run', '-'], { input }));
    expect(stdout.split('\n')).toHaveLength(7);
    expect(await bench.agents()).toEqual([]);
  });

  it('reports warnings too with --level warn, so that an agent that only warns does not look healthy', async ({
    bench,
  }) => {
    const input = readFileSync(`${samples}es.conf.log`, 'utf8')
      .split('\n')
      .filter((line) => /\[ warn\].*output=es/.test(line))
      .join('\n');
    await bench.run(['--type', 'fluentbit', '-'], { input });
    expect(await bench.agents()).toEqual([]);
    await bench.run(['--type', 'fluentbit', '--level', 'warn', '-'], { input });
    expect(await bench.openErrors()).toEqual([
      [
        "[warn] [engine] failed to flush chunk '<chunk>', retry in <n> seconds: task_id=<n>, input=dummy.0 > output=es.0 (out_id=0)",
        1,
      ],
    ]);
    expect(await bench.agents()).toEqual([
      expect.objectContaining({ status: 'stopped', openErrorsCount: 1 }),
    ]);
    const { code, stderr } = texts(await bench.run(['--level', 'info', '-']));
    expect([code, stderr]).toEqual([2, "muster: --level is 'info', but it takes error or warn.\n"]);
  });

  it('sends the errors that it has read after a signal to end, and ends by that signal', async ({
    bench,
  }) => {
    const report = bench.start(['-'], { keepInputOpen: true });
    report.process.stdin?.write('[2026/11/21 00:29:28] [error] first\n');
    await eventually(
      () => bench.openErrors(),
      ({ length }) => length > 0,
    );
    report.process.stdin?.write('[2026/11/21 00:29:28] [error] last\n');
    report.process.kill('SIGTERM');
    await once(report.process, 'exit');
    expect(report.process.signalCode).toBe('SIGTERM');
    expect(await bench.openErrors()).toEqual(expect.arrayContaining([['first', 1]]));
  });
});
