// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are variables in configurations of agents
import { describe, expect, it } from 'vitest';
import { findAgentKind } from '../process/agent-kind.ts';
import { findLogFiles } from './find-log-files.ts';

const env = { LOGS: '/var/log', EMPTY: undefined };

function find(commandLine: string, ...configs: string[]): Promise<string[]> {
  const [command = '', ...args] = commandLine.split(' ');
  return findLogFiles({ kind: findAgentKind(command), args, configs, env });
}

describe('the log files of an agent', () => {
  it.each([
    ['fluent-bit -c a.conf -l /var/log/a.log', ['/var/log/a.log']],
    ['fluent-bit -l/var/log/a.log', ['/var/log/a.log']],
    ['fluent-bit --log_file=a.log', ['a.log']],
    ['fluentd -o /var/log/fluentd.log', ['/var/log/fluentd.log']],
    ['fluentd --log /var/log/fluentd.log', ['/var/log/fluentd.log']],
    ['fluent-bit -o stdout', []],
    ['vector -c a.toml', []],
    ['otelcol --config a.yaml', []],
  ])('are named by its flags: %s', async (commandLine, files) => {
    expect(await find(commandLine)).toEqual(files);
  });

  it.each([
    ['[SERVICE]\n    flush 1\n    log_file /var/log/a.log\n[INPUT]\n    name dummy\n', ['/var/log/a.log']],
    ['[service]\r\n  Log_File   /var/log/my agent.log  \r\n', ['/var/log/my agent.log']],
    ['@SET dir=/srv\n[SERVICE]\n    Log_File ${dir}/${LOGS}/${EMPTY}a.log\n', ['/srv//var/log/a.log']],
    ['[SERVICE]\n    # log_file /var/log/a.log\n', []],
    ['[OUTPUT]\n    name x\n    log_file /var/log/a.log\n', []],
    ['[SERVICE]\n    flush 1\n', []],
    [
      'service:\n  flush: 1\n  log_file: "/var/log/a b.log" # here\npipeline:\n  inputs: [}\n',
      ['/var/log/a b.log'],
    ],
    ['env:\n  dir: /srv\nservice:\n  Log_File: ${dir}/a.log\n---\n', ['/srv/a.log']],
    ['pipeline:\n  outputs:\n    - name: x\n      log_file: a.log\nservice:\n  flush: 1\n', []],
  ])('are named by the configuration of Fluent Bit: %j', async (config, files) => {
    expect(await find('fluent-bit -c a', config)).toEqual(files);
  });

  it.each([
    [
      'service:\n  telemetry:\n    logs:\n      output_paths: [stderr, /var/log/a.log]\n',
      ['/dev/stderr', '/var/log/a.log'],
    ],
    [
      'service:\n  telemetry:\n    logs:\n      output_paths:\n      - file:///a.log\n      - lumberjack:x\n',
      ['/a.log'],
    ],
    [
      'service:\n  telemetry:\n    logs:\n      output_paths: "${env:LOGS}/${env:NONE:-a}.log"\n',
      ['/var/log/a.log'],
    ],
    ['service:\n  telemetry:\n    logs:\n      error_output_paths: [stderr]\n', []],
    ['processors:\n  output_paths: [a]\n', []],
  ])('are named by the configuration of the Collector: %j', async (config, files) => {
    expect(await find('otelcol --config a', config)).toEqual(files);
  });

  it('are listed once, from all configurations together', async () => {
    const config = '[SERVICE]\n    log_file a.log\n';
    expect(await find('fluent-bit -l b.log', config, config)).toEqual(['b.log', 'a.log']);
  });

  it('cannot be found in a configuration that is not YAML or too long', async () => {
    await expect(find('fluent-bit', 'service:\n  log_file: "a\n')).rejects.toThrow('Missing closing "quote');
    const long = `service:\n  log_file: a\n${'  # x\n'.repeat(20_000)}`;
    await expect(find('fluent-bit', long)).rejects.toThrow("its block 'service' is longer than 64 KiB");
  });
});
