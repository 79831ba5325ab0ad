import { readdirSync } from 'node:fs';
import { explainError } from '@muster/faults/explain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  blockCount,
  customSection,
  heartbeatConfigurations,
  pageConfigurationNames,
  pageConfigurations,
} from './page.ts';
import { textOf } from './read-configuration.ts';
import { type LoggedLine, printRecorded, readRecordedLog } from './recorded-log.ts';
import { ReportingProject } from './reporting-project.ts';
import type { SimulatedAgent } from './simulated-agent.ts';

let project: ReportingProject;
beforeAll(async () => {
  project = await ReportingProject.open();
});
afterAll(() => project.close());

type Row = [text: string, occurrences: number];

/** What each log of a real agent becomes: texts, the first one first, with how often the agent printed each. */
const rowsWithLua: Readonly<Record<string, Row[]>> = {
  'es.conf.log': [
    ['[output:forward:forward.2] no upstream connections available', 30],
    [
      "[output:loki:loki.1] no upstream connections available: [net] getaddrinfo(host='no-such-host.invalid', err=4): Domain name not found",
      30,
    ],
    ['[engine] chunk cannot be retried: output=es.0', 10],
  ],
  'refused.conf.log': [
    ['[output:forward:forward.0] no upstream connections available', 30],
    ['[output:http:http.1] no upstream connections available to 127.0.0.1:9', 30],
  ],
  'selfreport.conf.log': [['[output:forward:forward.0] no upstream connections available', 24]],
  'tail-missing.conf.log': [
    ["[input:tail:tail.0] parser 'nosuchparser' is not registered", 1],
    ['[input:tail:tail.0] read error, check permissions: /nonexistent/dir/*.log', 1],
  ],
};

const dnsReason = "[net] getaddrinfo(host='no-such-host.invalid', err=4): Domain name not found";
const tlsReason = '[tls] error: error:0A00010B:SSL routines::wrong version number';

/** Faults of a real agent, recorded by themselves, and what the configurations with Lua make of them: one row for each output and fault. */
const rowsOfFaults: Readonly<Record<string, Row[]>> = {
  'tls-to-plain.conf.log': [
    [`[output:http:http.2] no upstream connections available to 127.0.0.1:21080: ${tlsReason}`, 13],
    [`[output:loki:loki.3] no upstream connections available: ${tlsReason}`, 13],
    [`[engine] chunk cannot be retried: output=splunk.1: ${tlsReason}`, 2],
    [`[engine] chunk cannot be retried: output=es.0: ${tlsReason}`, 1],
  ],
  'dns.conf.log': [
    [`[output:http:http.2] no upstream connections available to no-such-host.invalid:80: ${dnsReason}`, 11],
    [`[output:forward:forward.3] no upstream connections available: ${dnsReason}`, 9],
    [`[engine] chunk cannot be retried: output=es.0: ${dnsReason}`, 1],
    [`[engine] chunk cannot be retried: output=opensearch.1: ${dnsReason}`, 1],
  ],
  // Of es, opensearch and splunk, only opensearch has the reason of [tls]. Nothing tells which, so none of them gets it.
  'mixed.conf.log': [
    ['[output:http:http.3] 127.0.0.1:21500, HTTP status=500', 15],
    [`[output:loki:loki.2] no upstream connections available: ${dnsReason}`, 13],
    [
      `[output:opentelemetry:opentelemetry.6] no upstream connections available to no-such-host.invalid:4318: ${dnsReason}`,
      17,
    ],
    [`[output:forward:forward.5] no upstream connections available: ${tlsReason}`, 17],
    ['[engine] chunk cannot be retried: output=splunk.4', 2],
    ['[engine] chunk cannot be retried: output=opensearch.1', 3],
    ['[engine] chunk cannot be retried: output=es.0', 1],
  ],
  'refused-403.conf.log': [
    ['[output:es:es.0] HTTP status=403 URI=/_bulk, response:', 2],
    ['[output:splunk:splunk.1] http_status=403:', 2],
    ['[output:http:http.2] 127.0.0.1:21403, HTTP status=403', 2],
    ['[output:loki:loki.3] 127.0.0.1:21403, HTTP status=403', 2],
    ['[output:opentelemetry:opentelemetry.4] 127.0.0.1:21403, HTTP status=403', 2],
  ],
  'server-error.conf.log': [
    ['[output:es:es.0] HTTP status=500 URI=/_bulk, response:', 13],
    ['[output:loki:loki.2] could not flush records to 127.0.0.1:21500 HTTP status=500', 13],
    ['[output:splunk:splunk.1] http_status=500:', 1],
  ],
  'silent.conf.log': [['[output:http:http.2] could not flush records to 127.0.0.1:21900 (http_do=-1)', 7]],
  'disk-full.conf.log': [
    ['[output:http:http.0] no upstream connections available to 127.0.0.1:9', 5],
    ['[storage] [cio_file] error setting new file size on write', 2],
  ],
  'evicted.conf.log': [
    ['[output:http:http.0] no upstream connections available to 127.0.0.1:9', 6],
    [
      '[input chunk] chunk evicted from output queue to make room under storage.total_limit_size: output=http.0, limit=20000',
      3,
    ],
  ],
  'paused.conf.log': [
    ['[output:http:http.0] no upstream connections available to 127.0.0.1:9', 5],
    ['[input] dummy.0 paused (mem buf overlimit)', 1],
  ],
  'unreadable.conf.log': [['[input:tail:tail.0] cannot open /var/log/app/app.log: Permission denied', 3]],
  'time-format.conf.log': [['[parser:wrongtime] invalid time format %d/%b/%Y', 4]],
};

/** The page's example names the output `es.0` and no other. */
const rowsWithoutLua: Readonly<Record<string, Row[]>> = {
  'es.conf.log': [
    ['[output:forward:forward.2] no upstream connections available', 20],
    ["[net] getaddrinfo(host='no-such-host.invalid', err=4): Domain name not found", 20],
    ['[output:loki:loki.1] no upstream connections available', 20],
    ['[engine] chunk cannot be retried', 20],
    ['[engine] chunk cannot be retried: output=es.0', 10],
  ],
  'refused.conf.log': [
    ['[output:forward:forward.0] no upstream connections available', 20],
    ['[output:http:http.1] no upstream connections available to 127.0.0.1:9', 20],
    ['[engine] chunk cannot be retried', 20],
  ],
  'selfreport.conf.log': [
    ['[output:forward:forward.0] no upstream connections available', 16],
    ['[engine] chunk cannot be retried', 8],
  ],
  'tail-missing.conf.log': rowsWithLua['tail-missing.conf.log'] ?? [],
};

it('covers every configuration of the page', () => {
  expect(pageConfigurationNames).toHaveLength(blockCount - 1 - Object.keys(heartbeatConfigurations).length);
  expect(customSection?.kind).toBe('custom');
});

describe.each(pageConfigurationNames)('the configuration "%s" of the page', (name) => {
  const configuration = pageConfigurations[name];
  const hasLua = !name.endsWith('without Lua');
  const hostFor = (log: string) => `${name.replaceAll(' ', '-')}-${log}`;

  it.each(Object.entries(hasLua ? rowsWithLua : rowsWithoutLua))(
    'stores each fault of %s once',
    async (log, rows) => {
      const agent = await project.startAgent(configuration, hostFor(log));
      await printRecorded(agent, readRecordedLog(log));
      expect(await project.rowsOf(hostFor(log))).toEqual(rows);
    },
  );

  it('reports an es output whose only error lines name chunks', async () => {
    const host = hostFor('es-alone');
    const agent = await project.startAgent(configuration, host);
    const lines = readRecordedLog('es.conf.log').filter(({ message }) => message.includes('es.0'));
    expect(new Set(lines.filter(isError).map(({ message }) => message)).size).toBe(10);
    await printRecorded(agent, lines);
    const [stored, ...more] = await project.errorsOf(host);
    expect(more).toEqual([]);
    const now = new Date(project.app.test.clock.now()).toISOString();
    expect(stored).toEqual({
      id: expect.any(String),
      agentID: expect.any(String),
      error: '[engine] chunk cannot be retried: output=es.0',
      occurrences: 10,
      createdAt: now,
      lastSeenAt: now,
      dismissedAt: null,
      dismissReason: null,
      dismissedBy: null,
      configID: null,
      current: true,
      groupID: expect.any(String),
    });
  });

  it('makes one error of lines that name the output in the middle', async () => {
    const host = hostFor('failed-to-flush');
    const agent = await project.startAgent(configuration, host);
    for (const task of [1, 2, 3])
      agent.print(
        'error',
        `[engine] failed to flush chunk '1-179522094${task}.32.flb': task_id=${task}, input=dummy.0 > output=es.0 (out_id=0)`,
      );
    await agent.nextSecond();
    const text = hasLua
      ? '[engine] failed to flush chunk: output=es.0'
      : '[engine] chunk cannot be retried: output=es.0';
    expect(await project.rowsOf(host)).toEqual([[text, 3]]);
  });

  it('sends only what the page describes', async () => {
    const host = hostFor('request');
    const agent = await project.startAgent(configuration, host);
    agent.print('error', '[output:forward:forward.0] no upstream connections available');
    agent.print('info', '[engine] started (pid=1)');
    await agent.runSeconds(3);
    expect(agent.requests).toEqual([
      {
        host: 'muster.example.com',
        port: '443',
        isEncrypted: true,
        path: `/v1/machines/${host}/errors?truncate=true&partial=true`,
        headers: { 'X-Project-Token': project.app.project.token, Prefer: 'return=minimal' },
        body: '[{"error":"[output:forward:forward.0] no upstream connections available"}]',
      },
    ]);
  });

  it('drops lines that name a connection or an address, because the output reports the same fault', async () => {
    const host = hostFor('connections');
    const agent = await project.startAgent(configuration, host);
    for (const number of [81, 94, 107]) {
      const to = 'tcp://192.0.2.20:9200';
      agent.print(
        'error',
        `[upstream] connection #${number} to ${to} timed out after 10 seconds (connection timeout)`,
      );
      agent.print('error', `[tls] connection #${number} SSL_connect: error in error`);
      agent.print('error', '[/src/fluent-bit/src/flb_http_client.c:1199 errno=104] Connection reset by peer');
      agent.print('error', '[output:es:es.0] could not pack/validate JSON response');
      await agent.nextSecond();
    }
    expect(await project.rowsOf(host)).toEqual([
      ['[output:es:es.0] could not pack/validate JSON response', 3],
    ]);
  });

  it('keeps errors of inputs and files, errno included', async () => {
    const host = hostFor('inputs');
    const lines = [
      '[/src/fluent-bit/plugins/in_tail/tail_fs_inotify.c:343 errno=28] No space left on device',
      '[output:http:logs] logs.example.com:443, HTTP status=503',
      '[input:forward:forward.0] could not accept new connection',
    ];
    const agent = await project.startAgent(configuration, host);
    for (const line of lines) agent.print('error', line);
    await agent.nextSecond();
    expect(await project.rowsOf(host)).toEqual(lines.map((line) => [line, 1]));
  });
});

describe.each(['classic', 'yaml'] as const)('the fold of the configuration "%s"', (name) => {
  it.each(Object.entries(rowsOfFaults))('makes one error of each fault in %s', async (log, rows) => {
    const host = `${name}-fault-${log}`;
    const agent = await project.startAgent(pageConfigurations[name], host);
    await printRecorded(agent, readRecordedLog(`faults/${log}`));
    expect(await project.rowsOf(host)).toEqual(rows);
    expect(rows.filter(([text]) => explainError(text) === undefined)).toEqual([]);
  });

  it('has a recording of every fault', () => {
    const recorded = readdirSync(new URL('../../samples/fluent-bit/faults/', import.meta.url));
    expect(Object.keys(rowsOfFaults).toSorted()).toEqual(recorded.filter((file) => file.endsWith('.log')));
  });

  it('names no chunk file when a disk is full from the start', async () => {
    const host = `${name}-full-disk`;
    const agent = await project.startAgent(pageConfigurations[name], host);
    for (const chunk of ['5533-1795694993.416395384', '5533-1795694993.422962453']) {
      const file = `dummy.0/${chunk}.flb`;
      agent.print('error', `[storage] cannot adjust chunk size '/var/lib/fluent-bit/${file}' to 4096 bytes`);
      agent.print('error', `[input chunk] could not create chunk file: dummy.0:${chunk}.flb`);
      agent.print('error', '[input chunk] no available chunk');
      await agent.nextSecond();
    }
    expect(await project.rowsOf(host)).toEqual([
      ["[storage] cannot adjust chunk size '/var/lib/fluent-bit/dummy.0/N.flb' to 4096 bytes", 2],
    ]);
  });

  it('never lets a reason about Muster through', async () => {
    const host = `${name}-reason`;
    const agent = await project.startAgent(pageConfigurations[name], host, {
      network: async () => undefined,
    });
    agent.print('error', '[input:tail:tail.0] cannot open /var/log/app.log');
    await agent.runSeconds(120);
    // The lines of threads are mixed: what is printed about Muster comes right before the line of another output.
    agent.print('warn', "[net] getaddrinfo(host='muster.example.com', err=4): Domain name not found");
    agent.print('error', '[output:loki:loki.0] no upstream connections available');
    await agent.nextSecond();
    const sent = agent.requests.map(({ body }) => body);
    expect(new Set(sent)).toEqual(
      new Set(['[{"error":"[input:tail:tail.0] cannot open /var/log/app.log"}]']),
    );
  });

  it('changes the reason of an output at most once a minute', async () => {
    const host = `${name}-changed-reason`;
    const agent = await project.startAgent(pageConfigurations[name], host);
    const line = '[output:loki:loki.0] no upstream connections available';
    for (let second = 0; second < 120; second += 1) {
      agent.print('error', second < 10 ? dnsReason : tlsReason);
      agent.print('error', line);
      await agent.nextSecond();
    }
    expect(await project.rowsOf(host)).toEqual([
      [`${line}: ${dnsReason}`, 61],
      [`${line}: ${tlsReason}`, 59],
    ]);
  });

  it('gives no output the reason of another one', async () => {
    const host = `${name}-other-reason`;
    const agent = await project.startAgent(pageConfigurations[name], host);
    const loki = '[output:loki:loki.1] no upstream connections available';
    for (let second = 0; second < 90; second += 1) {
      agent.print('error', tlsReason, realTime(second));
      agent.print('warn', dnsReason, realTime(second + 0.1));
      agent.print('error', loki, realTime(second + 0.11));
      printEngineFailure(agent, second);
      await agent.nextSecond();
    }
    expect(await project.rowsOf(host)).toEqual([
      [`${loki}: ${dnsReason}`, 90],
      [`[engine] chunk cannot be retried: output=es.0: ${tlsReason}`, 88],
    ]);
  });

  it('keeps the reason of an output while other outputs succeed at a retry', async () => {
    const host = `${name}-other-succeeds`;
    const agent = await project.startAgent(pageConfigurations[name], host);
    for (let second = 0; second < 90; second += 1) {
      agent.print('error', tlsReason, realTime(second));
      if (second >= 5)
        agent.print(
          'info',
          `[engine] flush chunk '3090-179570690${second}.36.flb' succeeded at retry 1: task_id=${second}, input=fluentbit_logs.1 > output=muster (out_id=1)`,
          realTime(second + 0.1),
        );
      printEngineFailure(agent, second);
      await agent.nextSecond();
    }
    expect(await project.rowsOf(host)).toEqual([
      [`[engine] chunk cannot be retried: output=es.0: ${tlsReason}`, 88],
    ]);
  });

  it('makes one error of responses that contain ids', async () => {
    const host = `${name}-responses`;
    const agent = await project.startAgent(pageConfigurations[name], host);
    for (const id of ['a1', 'b2', 'c3']) {
      agent.print(
        'error',
        `[output:es:es.0] HTTP status=400 URI=/_bulk, response:\n{"took":${id.length},"_id":"${id}"}\n`,
      );
      agent.print(
        'error',
        `[output:http:http.1] logs.example.com:443, HTTP status=503\n{"requestId":"${id}"}`,
      );
      await agent.nextSecond();
    }
    expect(await project.rowsOf(host)).toEqual([
      ['[output:es:es.0] HTTP status=400 URI=/_bulk, response:', 3],
      ['[output:http:http.1] logs.example.com:443, HTTP status=503', 3],
    ]);
  });

  it('makes one error of connections that have numbers', async () => {
    const host = `${name}-numbers`;
    const agent = await project.startAgent(pageConfigurations[name], host);
    for (const number of [-1, 94, 229])
      agent.print(
        'error',
        `[io_tls] handshake connection #${number} to 192.0.2.20:9200 timed out after 10 seconds`,
      );
    await agent.nextSecond();
    expect(await project.rowsOf(host)).toEqual([
      ['[io_tls] handshake connection to 192.0.2.20:9200 timed out after 10 seconds', 3],
    ]);
  });

  it('makes one error of an output that never gives up, even if warnings are reported', async () => {
    const host = `${name}-warnings`;
    const withWarnings = pageConfigurations[name].map(({ kind, properties }) => ({
      kind,
      properties: properties.map(
        ([key, value]) => [key, value.replace('^error$', '^(error|warn)$')] as const,
      ),
    }));
    const agent = await project.startAgent(withWarnings, host);
    const lines = readRecordedLog('es.conf.log').filter(
      ({ level, message }) => level === 'warn' && message.includes('output=es.0'),
    );
    expect(new Set(lines.map(({ message }) => message)).size).toBe(lines.length - 1);
    await printRecorded(agent, lines);
    expect(await project.rowsOf(host)).toEqual([
      ['[engine] failed to flush chunk, retry follows: output=es.0', lines.length],
    ]);
  });
});

describe('the custom plugin, as configured on the page', () => {
  it('registers the agent whose errors are reported', async () => {
    expect(textOf(customSection ?? { kind: '', properties: [] }, 'machine_id')).toBe(`$${'{HOSTNAME}'}`);
    const registered = await project.app.test.registerAgent(project.app.project, 'with-plugin');
    const agent = await project.startAgent(pageConfigurations.classic, 'with-plugin');
    agent.print('error', 'a fault');
    await agent.nextSecond();
    expect((await project.errorsOf('with-plugin')).map(({ agentID }) => agentID)).toEqual([registered.id]);
  });

  it('keeps no session, because a session would silence the agent after a failed start', () => {
    expect(customSection?.properties.map(([key]) => key)).toEqual([
      'name',
      'api_key',
      'calyptia_host',
      'calyptia_port',
      'calyptia_tls',
      'machine_id',
    ]);
  });
});

/** In seconds, far from 0, where the fold would take its start for a failure without a reason. */
function realTime(second: number): number {
  return 1_795_706_900 + second;
}

/** Two warnings about single tries come first, as from a real agent. */
function printEngineFailure(agent: SimulatedAgent, second: number): void {
  const chunk = `chunk '3090-179570690${second}.32.flb'`;
  const where = `task_id=${second}, input=dummy.0 > output=es.0`;
  const [level, message] =
    second < 2
      ? ['warn', `[engine] failed to flush ${chunk}, retry in 6 seconds: ${where} (out_id=0)`]
      : ['error', `[engine] ${chunk} cannot be retried: ${where}`];
  agent.print(level, message, realTime(second + 0.2));
}

function isError({ level }: LoggedLine): boolean {
  return level === 'error';
}
