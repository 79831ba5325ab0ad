import { stdSerializers } from 'pino';

/** What helps to find a cause and holds no data: codes, and names that Muster or the system has given. */
const loggedFields = [
  'code',
  'errno',
  'syscall',
  'address',
  'port',
  'path',
  'severity',
  'table',
  'column',
  'constraint',
  'routine',
] as const;

/**
 * An error as the log has it: its type, message, stack and causes, and few of its fields. Drivers add others that must not be logged: PostgreSQL quotes the row
 * that it refuses (`detail`, `where`), and the pool adds the broken connection with its statements.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = stdSerializers.err(error);
  const fields = loggedFields.flatMap((name) => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [];
  });
  return {
    type,
    message,
    stack,
    ...Object.fromEntries(fields),
    ...(error instanceof AggregateError ? { aggregateErrors: error.errors.map(loggedError) } : {}),
  };
}
