import type { PostgresHost, PostgresLocation } from './database-url.ts';

/** Thrown if no host of a database URL can be connected to. Its message is for operators and contains no password. */
export class PostgresConnectionError extends Error {
  override readonly name = 'PostgresConnectionError';
}

export interface FailedAttempt {
  readonly host: PostgresHost;
  readonly error: unknown;
}

/** The connection that was attempted: host with port, user, database, and the setting that names them. */
interface Asked {
  readonly place: string;
  readonly user: string;
  readonly database: string;
  readonly setting: string;
}

interface Explanation {
  /** SQLSTATE codes (PostgreSQL documentation, appendix A), of the system, or of TLS. */
  readonly codes?: readonly string[];
  /** The message of the server or the driver, if the code is not specific enough. */
  readonly message?: RegExp;
  readonly explain: (asked: Asked) => string;
}

/** The first match decides. */
const explanations: readonly Explanation[] = [
  {
    codes: ['ECONNREFUSED'],
    explain: ({ place, setting }) =>
      `Nothing listens on ${place}. Look whether PostgreSQL runs there, whether it listens on that address (listen_addresses), and whether host and port in ${setting} are right.`,
  },
  {
    codes: ['ENOTFOUND', 'EAI_AGAIN'],
    explain: ({ place, setting }) =>
      `The host name of ${place} cannot be resolved. Correct it in ${setting}, or the name service (DNS) of this machine.`,
  },
  {
    codes: ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
    message: /timeout exceeded when trying to connect|terminated due to connection timeout/i,
    explain: ({ place, setting }) =>
      `${place} does not answer within 2 s. Look whether the host is up, whether a firewall is in between, and whether host and port in ${setting} are right.`,
  },
  {
    codes: ['28P01'],
    message: /password must be a string/,
    explain: ({ place, user, setting }) =>
      `PostgreSQL on ${place} does not take the password of user ${user}. Correct user and password in ${setting}; a password with special characters has to be percent-encoded there.`,
  },
  {
    message: /pg_hba\.conf (entry|rejects) .*(no encryption|SSL off)/,
    explain: ({ place, user, database, setting }) =>
      `PostgreSQL on ${place} does not let user ${user} use the database ${database} without TLS. Add ?sslmode=verify-full to ${setting}, or allow this client in pg_hba.conf.`,
  },
  {
    codes: ['28000'],
    explain: ({ place, user, database, setting }) =>
      `PostgreSQL on ${place} does not let user ${user} use the database ${database} from here. Allow it in pg_hba.conf, or correct user and database in ${setting}.`,
  },
  {
    message: /does not support SSL connections/,
    explain: ({ place, setting }) =>
      `PostgreSQL on ${place} has no TLS. Turn it on there (ssl = on), or take sslmode out of ${setting} where the network is trusted.`,
  },
  {
    message: /certificate|ERR_TLS/i,
    explain: ({ place, setting }) =>
      `The TLS certificate of PostgreSQL on ${place} is not trusted here. Name its certificate authority with sslrootcert=FILE in ${setting} or with NODE_EXTRA_CA_CERTS, and the host by the name that the certificate has.`,
  },
  {
    codes: ['3D000'],
    explain: ({ place, database, setting }) =>
      `PostgreSQL on ${place} has no database ${database}. Create it (createdb ${database}), or correct its name in ${setting}.`,
  },
  {
    codes: ['53300'],
    explain: ({ place }) =>
      `PostgreSQL on ${place} has as many connections as it takes. Each replica of Muster uses up to 10: raise max_connections or the limit of the user, or run fewer replicas.`,
  },
  {
    codes: ['57P03'],
    explain: ({ place }) => `PostgreSQL on ${place} is starting up or shutting down. Wait until it is ready.`,
  },
  {
    message: /no host takes writes/,
    explain: ({ place, setting }) =>
      `PostgreSQL on ${place} is a standby and takes no writes. Name the primary in ${setting}.`,
  },
];

/** Explains for each host why the connection failed and what to do. The errors of the driver are the cause. */
export function explainConnection(
  attempts: readonly FailedAttempt[],
  { user, database }: PostgresLocation,
  setting: string,
): PostgresConnectionError {
  const sentences = attempts.map(({ host, error }) => {
    const asked = { place: `${host.host}:${host.port}`, user, database, setting };
    const explanation = explanations.find((one) => fits(one, error));
    return (
      explanation?.explain(asked) ??
      `PostgreSQL on ${asked.place} gives no connection. Look at its log, and at ${setting}.`
    );
  });
  const causes = attempts.flatMap(({ error }) => errorsIn(error));
  const cause = new Error([...new Set(causes.map(({ message }) => message))].join('; '));
  return new PostgresConnectionError(sentences.join(' '), { cause });
}

function fits({ codes, message }: Explanation, error: unknown): boolean {
  return errorsIn(error).some((one) => {
    const code = 'code' in one && typeof one.code === 'string' ? one.code : '';
    return codes?.includes(code) === true || message?.test(`${code} ${one.message}`) === true;
  });
}

/** A host name with several addresses fails once for each address, in an error without a message of its own. */
function errorsIn(error: unknown): Error[] {
  if (error instanceof AggregateError) return error.errors.flatMap(errorsIn);
  return [error instanceof Error ? error : new Error(String(error))];
}
