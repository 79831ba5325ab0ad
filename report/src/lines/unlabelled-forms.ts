/** What a line says that has no severity. */
interface Fault {
  readonly text: string;
  readonly isWarning: boolean;
}

/** The lines of an agent that prints no severity, or not always: its own words tell what is an error. */
export interface UnlabelledForm {
  /** Matches wherever a fault may be. Has the flag `g`. */
  readonly faultWord: RegExp;
  /** Undefined: the line says nothing of a fault. */
  read(line: string): Fault | undefined;
}

/** @param dialect the name of the agent's program, or its type */
export function unlabelledFormOf(dialect: string): UnlabelledForm | undefined {
  switch (dialect) {
    case 'syslog-ng':
      return syslogNg;
    case 'rsyslog':
    case 'rsyslogd':
      return rsyslog;
    case 'collectd':
      return collectd;
    default:
      return undefined;
  }
}

const failure =
  /\b(?:errors?|fail(?:ed|ure|ures)?|cannot|could not|couldn't|unable to|invalid|denied|refused|broken|drop(?:ped|ping)|lost|too long|command not found)\b/i;

/** `[2026-11-21T00:29:30.386123] Message; key='value', key='value'`; the time is absent before the configuration is read. */
const syslogNg: UnlabelledForm = {
  faultWord: new RegExp(`${failure.source}|not found`, 'gi'),
  read(line) {
    const { stamp, text = '', message = '' } = syslogNgLine.exec(line)?.groups ?? {};
    // Without a time only what is certainly of syslog-ng, since it may write data to the same stream.
    if (stamp === undefined && message === text && !message.startsWith('Error ')) return undefined;
    if (failure.test(message) || /\berror(?:_str)?='/.test(text)) return { text, isWarning: false };
    return /not found|disconnected|suspend/.test(message) ? { text, isWarning: true } : undefined;
  },
};

const syslogNgLine =
  /^(?<stamp>\[\d{4}-\d\d-\d\dT[\d:.]+(?:[+-]\d\d:\d\d)?\] )?(?<text>(?<message>.*?)(?:; \w+='.*)?)$/s;

/** `rsyslogd: message [v8.2302.0 try https://www.rsyslog.com/e/2027 ]` of errors, and with severity where it logs about itself. */
const rsyslog: UnlabelledForm = {
  faultWord: /rsyslog\.com\/e\/|rsyslogd: fatal/gi,
  read(line) {
    const { severity, text, code = '' } = rsyslogLine.exec(line)?.groups ?? {};
    if (text === undefined || saysNoFault.has(code)) return undefined;
    const isWarning = severity === undefined ? warns.has(code) : Number(severity) === warningSeverity;
    return Number(severity ?? 0) > warningSeverity ? undefined : { text, isWarning };
  },
};

const rsyslogLine =
  /^(?:rsyslogd: |rsyslog internal message \((?<severity>\d),-\d+\): )?(?<text>.*\btry https:\/\/www\.rsyslog\.com\/e\/(?<code>\d+) .*|fatal.*)$/s;

/** Of RFC 5424. */
const warningSeverity = 4;
/** An action is suspended; another line says why. */
const warns: ReadonlySet<string> = new Set(['2007']);
/** An action resumes, the time zone is not set, a queue needs longer to end. */
const saysNoFault: ReadonlySet<string> = new Set(['2359', '2442', '2041']);

/** `name plugin: message`, without a time and a level unless its `logfile` plugin adds them. */
const collectd: UnlabelledForm = {
  faultWord: new RegExp(`${failure.source}|no such|not find|isn't loaded`, 'gi'),
  read(line) {
    const { level = '', text = line } = collectdLine.exec(line)?.groups ?? {};
    if (/^(?:info|notice|debug)$/.test(level)) return undefined;
    if (failure.test(text) || /no such|not find/i.test(text)) return { text, isWarning: level === 'warning' };
    return /isn't loaded/.test(text) ? { text, isWarning: true } : undefined;
  },
};

const collectdLine = /^(?:\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] )?(?:\[(?<level>[a-z]+)\] )?(?<text>.*)$/s;
