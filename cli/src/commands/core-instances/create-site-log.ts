import type { SiteLog } from '@muster/core-instance';
import type { Terminal } from '../../terminal/terminal.ts';

type Level = keyof SiteLog;

/** Writes the log in the form of the service's own (docs/logs.md): JSON for machines, and lines for a person at a terminal. */
export function createSiteLog({ stdout, now }: Pick<Terminal, 'stdout' | 'now'>): SiteLog {
  const toLine = stdout.isTTY === true ? toText : toJson;
  const write =
    (level: Level) =>
    (msg: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      const plain = Object.entries(fields).map(([name, value]) => [
        name,
        value instanceof Error ? { message: value.message, stack: value.stack } : value,
      ]);
      stdout.write(`${toLine(level, new Date(now()).toISOString(), msg, Object.fromEntries(plain))}\n`);
    };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

type Fields = Readonly<Record<string, unknown>>;

function toJson(level: Level, time: string, msg: string, fields: Fields): string {
  return JSON.stringify({ level, time, ...fields, msg });
}

function toText(level: Level, time: string, msg: string, fields: Fields): string {
  const more = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  return `[${time.slice(11, 19)}] ${level.toUpperCase()}: ${msg}${more.join('')}`;
}
