import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino, stdTimeFunctions } from 'pino';
import pretty from 'pino-pretty';
import { loggedError } from '../foundation/logged-error.ts';
import type { LogFormat } from '../foundation/settings/setting-types.ts';

interface LoggerOptions {
  readonly level: string;
  /** Undefined: text on a terminal, otherwise JSON. */
  readonly format: LogFormat | undefined;
  readonly isTerminal: boolean;
  /** Absent: the standard error output, so that the standard output has only the announcement. */
  readonly destination?: DestinationStream;
}

const serializers = { err: loggedError };

/** The log of the service. docs/logs.md describes its lines. */
export function createLogger({ level, format, isTerminal, destination }: LoggerOptions): FastifyBaseLogger {
  if ((format ?? (isTerminal ? 'text' : 'json')) === 'text') {
    const stream = pretty({
      destination: destination ?? 2,
      sync: true,
      colorize: isTerminal,
      ignore: 'pid,hostname',
      // A terminal shows what happens now; a file also needs the day.
      translateTime: isTerminal ? 'HH:MM:ss' : 'UTC:yyyy-mm-dd"T"HH:MM:ss.l"Z"',
    });
    return pino({ level, serializers }, stream);
  }
  return pino(
    {
      level,
      serializers,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination ?? pino.destination({ dest: 2, sync: false }),
  );
}
