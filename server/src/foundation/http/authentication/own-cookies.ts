import { parseCookie, stringifySetCookie } from 'cookie';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** RFC 6265bis section 4.1.3.2: only this very host can have set it, over HTTPS. A page of a sibling domain cannot plant another one. */
const hostPrefix = '__Host-';

const sessionName = 'muster_session';

/**
 * The cookies of the service. None can be read by a script, and none is sent with a request that another site causes, except with one that opens a
 * page.
 */
export class OwnCookies {
  readonly #isSecure: boolean;

  /** @param isSecure people reach the service over HTTPS. No cookie is then sent, or believed, without it. */
  constructor(isSecure: boolean) {
    this.#isSecure = isSecure;
  }

  get sessionName(): string {
    return this.nameOf(sessionName);
  }

  nameOf(name: string): string {
    return this.#isSecure ? hostPrefix + name : name;
  }

  read(headers: Headers, name: string): string | undefined {
    return readCookie(headers, this.nameOf(name));
  }

  /** The value of a Set-Cookie header. */
  set(name: string, value: string, maxAgeSeconds: number): string {
    return stringifySetCookie({
      name: this.nameOf(name),
      value,
      maxAge: maxAgeSeconds,
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: this.#isSecure,
    });
  }

  clear(name: string): string {
    return this.set(name, '', 0);
  }

  setSession(value: string, maxAgeSeconds: number): string {
    return this.set(sessionName, value, maxAgeSeconds);
  }

  clearSession(): string {
    return this.clear(sessionName);
  }

  readSession(headers: Headers): string | undefined {
    return this.read(headers, sessionName);
  }
}

export function readCookie(headers: Headers, name: string): string | undefined {
  const value = readCookies(headers)[name];
  return value === '' ? undefined : value;
}

/** The secret of the session of a request that was already admitted. */
export function readAnySessionCookie(headers: Headers): string | undefined {
  return readCookie(headers, hostPrefix + sessionName) ?? readCookie(headers, sessionName);
}

function readCookies({ cookie }: Headers): Readonly<Record<string, string | undefined>> {
  return typeof cookie === 'string' ? parseCookie(cookie) : {};
}
