/** One server of a PostgreSQL cluster. */
export interface PostgresHost {
  readonly host: string;
  readonly port: number;
}

/** A parsed connection URL. */
export interface PostgresLocation {
  readonly hosts: readonly PostgresHost[];
  /** The same URL with only the first host, which the driver can parse. */
  readonly urlOfFirst: string;
  /** For messages: the names in the URL, or the defaults of PostgreSQL. */
  readonly user: string;
  readonly database: string;
  /** Whether only a server that accepts writes may be used, not a standby. */
  readonly needsReadWrite: boolean;
}

const defaultPort = 5432;

/**
 * Reads `postgres://user:password@host1:5432,host2:5432/database?target_session_attrs=read-write`, the form with
 * several hosts of libpq (PostgreSQL documentation, section 34.1.1.2), which the driver does not support.
 *
 * @throws Error that says what is wrong, without the password.
 */
export function parseDatabaseUrl(url: string): PostgresLocation {
  const match = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/s.exec(url);
  if (match === null) throw new Error('a database URL begins with postgres:// or postgresql://');
  const [, scheme = '', user = '', authority = '', rest = ''] = match;
  const hosts = authority.split(',').map(parseHost);
  const [first] = hosts;
  if (first === undefined) throw new Error('a database URL names at least one host');
  const single = new URL(`${scheme}${user}${bracketed(first.host)}:${first.port}${rest}`);
  const attributes = single.searchParams.get('target_session_attrs');
  if (attributes !== null && attributes !== 'read-write' && attributes !== 'any') {
    throw new Error(`target_session_attrs is '${attributes}', but takes read-write or any`);
  }
  single.searchParams.delete('target_session_attrs');
  const userName = decodeURIComponent(single.username) || 'of this process';
  return {
    hosts,
    user: userName,
    database: decodeURIComponent(single.pathname.slice(1)) || userName,
    urlOfFirst: single.toString(),
    needsReadWrite: attributes === 'read-write' || hosts.length > 1,
  };
}

function parseHost(text: string): PostgresHost {
  const match = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text);
  if (match === null) throw new Error(`'${text}' is not a valid host of a database URL`);
  const [, host = '', port] = match;
  return {
    host: host.replaceAll(/[[\]]/g, ''),
    port: port === undefined ? defaultPort : Number(port),
  };
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
