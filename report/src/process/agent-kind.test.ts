import { describe, expect, it } from 'vitest';
import { findAgentKind, findConfigFiles } from './agent-kind.ts';

describe('findAgentKind', () => {
  it.each([
    ['fluent-bit', 'fluentbit', ['stderr']],
    ['/opt/fluent-bit/bin/fluent-bit', 'fluentbit', ['stderr']],
    ['td-agent', 'fluentd', ['stdout', 'stderr']],
    ['otelcol-contrib', 'otelcol', ['stderr']],
    ['/usr/bin/vector', 'vector', ['stderr']],
    ['/usr/sbin/syslog-ng', 'syslog-ng', ['stderr']],
    ['rsyslogd', 'rsyslogd', ['stderr']],
    ['collectd', 'collectd', ['stdout', 'stderr']],
    ['./run-agent.sh', 'run-agent.sh', ['stdout', 'stderr']],
  ])('recognises %s', (command, type, streams) => {
    expect(findAgentKind(command)).toMatchObject({ type, streams });
  });
});

describe('findConfigFiles', () => {
  it.each([
    ['fluent-bit -c a.conf', ['a.conf']],
    ['fluent-bit -ca.conf -v', ['a.conf']],
    ['fluent-bit -i cpu --config=/etc/a.yaml -q', ['/etc/a.yaml']],
    ['fluent-bit -i cpu -o stdout', []],
    ['fluentd -c fluent.conf --no-supervisor', ['fluent.conf']],
    [
      'otelcol --config=file:/etc/a.yaml --config b.yaml --config=env:X --config=yaml:a::b',
      ['/etc/a.yaml', 'b.yaml'],
    ],
    ['vector -c a.toml,b.toml --config-yaml c.yaml', ['a.toml', 'b.toml', 'c.yaml']],
    ['vector --config-dir d', []],
    ['syslog-ng -F -f a.conf', ['a.conf']],
    ['rsyslogd -n -fa.conf', ['a.conf']],
    ['collectd -f -C a.conf', ['a.conf']],
    ['other -c a.conf', []],
    ['fluent-bit -c', []],
  ])('finds the files of %s', (commandLine, files) => {
    const [command = '', ...args] = commandLine.split(' ');
    expect(findConfigFiles(findAgentKind(command), args)).toEqual(files);
  });
});
