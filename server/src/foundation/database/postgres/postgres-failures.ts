import { PostgresConnectionError } from './explain-connection.ts';

/**
 * SQLSTATE classes and codes (PostgreSQL documentation, appendix A) that mean that the database cannot work now, and
 * not that the statement is wrong.
 */
const unavailable = [
  /^08/, // connection exceptions
  /^25006$/, // a standby, or a primary that was demoted
  /^40(001|P01|003)$/, // serialization failure, deadlock, outcome unknown
  /^53/, // out of disk, memory, connections
  /^55P03$/, // lock not available in time
  /^57(014|P01|P02|P03|P04|P05)$/, // cancelled in time, shut down, crashed, starting up
  /^58/, // I/O errors of the server's system
  /^XX00[12]$/, // corrupted data
];

const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_STREAM_DESTROYED',
]);

/** Messages of the driver, without a code, for a broken connection or one that timed out. */
const connectionMessages =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|client has encountered a connection error|not queryable|connection ended|cannot use a pool after calling end|no host takes writes|no connection to the database became free/i;

export function isPostgresUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof PostgresConnectionError) return true;
  if (error instanceof AggregateError) return error.errors.some(isPostgresUnavailable);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (
    code !== undefined &&
    (connectionCodes.has(code) || unavailable.some((pattern) => pattern.test(code)))
  ) {
    return true;
  }
  return connectionMessages.test(error.message);
}

/** For a statement that got no connection from the pool in time. */
export function noSlot(): Error {
  return new Error('no connection to the database became free in time');
}

/** True if the connection must not be used again. */
export function isConnectionBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return connectionCodes.has(code) || /^(08|57P|25006)/.test(code) || connectionMessages.test(error.message);
}

/** SQLSTATE 23505. */
export function isPostgresUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}

/** SQLSTATE 57014: cancelled, for example by the time limit of a statement. */
export function isPostgresTimeLimit(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '57014';
}
