import { basename } from 'node:path';

export type StreamName = 'stdout' | 'stderr';

/** What the command line tells about an agent. */
export interface AgentKind {
  /** The name of its type at the service. */
  readonly type: string;
  /** False: only the name of its program is known. */
  readonly isKnown: boolean;
  /** Where it writes its errors. The other stream may carry data and is not touched. */
  readonly streams: readonly StreamName[];
  readonly configFlags: readonly string[];
  /** Flags that name a file to log to. */
  readonly logFileFlags: readonly string[];
}

const fluentBit: AgentKind = {
  type: 'fluentbit',
  isKnown: true,
  streams: ['stderr'],
  configFlags: ['-c', '--config'],
  logFileFlags: ['-l', '--log_file'],
};
const fluentd: AgentKind = {
  type: 'fluentd',
  isKnown: true,
  streams: ['stdout', 'stderr'],
  configFlags: ['-c', '--config'],
  logFileFlags: ['-o', '--log'],
};
const collector: AgentKind = {
  type: 'otelcol',
  isKnown: true,
  streams: ['stderr'],
  configFlags: ['--config'],
  logFileFlags: [],
};
const vector: AgentKind = {
  type: 'vector',
  isKnown: true,
  streams: ['stderr'],
  configFlags: ['-c', '--config', '--config-toml', '--config-yaml', '--config-json'],
  logFileFlags: [],
};

const syslogNg: AgentKind = {
  type: 'syslog-ng',
  isKnown: true,
  streams: ['stderr'],
  configFlags: ['-f', '--cfgfile'],
  logFileFlags: [],
};
const rsyslog: AgentKind = {
  type: 'rsyslogd',
  isKnown: true,
  streams: ['stderr'],
  configFlags: ['-f'],
  logFileFlags: [],
};
const collectd: AgentKind = {
  type: 'collectd',
  isKnown: true,
  streams: ['stdout', 'stderr'],
  configFlags: ['-C'],
  logFileFlags: [],
};

/** Knows an agent by the name of its program; any other takes the program's name as its type. */
export function findAgentKind(command: string): AgentKind {
  const name = basename(command).replace(/\.exe$/i, '');
  if (/^(?:fluent-bit|td-agent-bit)$/.test(name)) return fluentBit;
  if (/^(?:fluentd|td-agent)$/.test(name)) return fluentd;
  if (/^(?:otelcol|otelcorecol|otelcontribcol)(?:-[\w-]+)?$/.test(name)) return collector;
  if (name === 'vector') return vector;
  if (name === 'syslog-ng') return syslogNg;
  if (name === 'rsyslogd') return rsyslog;
  if (name === 'collectd') return collectd;
  return {
    type: name.slice(0, 64),
    isKnown: false,
    streams: ['stdout', 'stderr'],
    configFlags: [],
    logFileFlags: [],
  };
}

/** The configuration files that a command line names, in its order. */
export function findConfigFiles({ configFlags }: AgentKind, args: readonly string[]): string[] {
  return flagValues(configFlags, args).flatMap(toPaths);
}

/** Values of flags in a command line, in its order: `-c F`, `-cF`, `--config F`, `--config=F`. */
export function flagValues(flags: readonly string[], args: readonly string[]): string[] {
  const values: string[] = [];
  for (const [index, arg] of args.entries()) {
    const flag = flags.find((one) => arg === one || arg.startsWith(one.length === 2 ? one : `${one}=`));
    if (flag === undefined) continue;
    const value = arg === flag ? args[index + 1] : arg.slice(flag.length).replace(/^=/, '');
    if (value !== undefined) values.push(value);
  }
  return values;
}

/** `file:/path` of the Collector is a path; `env:`, `yaml:` and `http:` are not. Vector separates several by commas. */
function toPaths(given: string): string[] {
  return given
    .split(',')
    .map((path) => path.replace(/^file:/, ''))
    .filter((path) => path !== '' && !/^[a-z]{2,}:/.test(path));
}
