import { parseSetCookie } from 'cookie';
import type { TestApp } from '../start-test-app.ts';

export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly location: string | undefined;
  readonly text: string;
}

interface BrowserRequest {
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser without a window: it keeps cookies, and sends what a browser sends with a page and a form. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  /** Every Set-Cookie header so far. */
  readonly setCookies: string[] = [];
  readonly origin: string;
  app: TestApp;
  /** The page that it shows, with what its form sends beside what somebody types in. */
  #shown: { readonly path: string; readonly hidden: Readonly<Record<string, string>> } | undefined;

  constructor(app: TestApp, origin = 'http://localhost:80') {
    this.app = app;
    this.origin = new URL(origin).origin;
  }

  async open(path: string, { headers = {} }: BrowserRequest = {}): Promise<PageAnswer> {
    const answer = await this.#send('GET', path, { accept: 'text/html', ...headers });
    if (answer.status === 200) this.#shown = { path, hidden: hiddenFields(answer.text) };
    return answer;
  }

  /** Sends a form from a page of the service: with the hidden fields of the page that was opened last, if it has the same path. */
  submit(path: string, { form = {}, headers = {} }: BrowserRequest = {}): Promise<PageAnswer> {
    const own = {
      accept: 'text/html',
      origin: this.origin,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
    };
    const hidden = this.#shown?.path === path ? this.#shown.hidden : {};
    return this.#send(
      'POST',
      path,
      { ...own, ...headers },
      new URLSearchParams({ ...hidden, ...form }).toString(),
    );
  }

  /** Calls the API from a page of the service. */
  async call<Body = unknown>(
    method: string,
    url: string,
    { body, headers = {} }: { body?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ) {
    return this.app.request<Body>(method, url, {
      ...(body === undefined ? {} : { body }),
      headers: {
        cookie: this.cookieHeader(),
        ...(method === 'GET' ? {} : { origin: this.origin, 'sec-fetch-site': 'same-origin' }),
        ...headers,
      },
    });
  }

  cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** The secret of its session. */
  get session(): string | undefined {
    return this.cookies.get('muster_session') ?? this.cookies.get('__Host-muster_session');
  }

  /** Signs in with an access token on the sign-in page. */
  async signIn(token: string): Promise<void> {
    const answer = await this.submit('/sign_in', { form: { token } });
    if (answer.status !== 303) throw new Error(`not signed in: ${answer.status} ${answer.text}`);
  }

  async #send(
    method: 'GET' | 'POST',
    path: string,
    headers: Readonly<Record<string, string>>,
    payload?: string,
  ): Promise<PageAnswer> {
    const cookie = this.cookieHeader();
    const answer = await this.app.app.http.inject({
      method,
      url: path,
      headers: { host: new URL(this.origin).host, ...(cookie === '' ? {} : { cookie }), ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    for (const text of [answer.headers['set-cookie'] ?? []].flat()) this.#keep(text);
    return {
      status: answer.statusCode,
      headers: answer.headers,
      location: answer.headers.location?.toString(),
      text: answer.body,
    };
  }

  #keep(text: string): void {
    this.setCookies.push(text);
    const { name, value = '', maxAge } = parseSetCookie(text);
    if (maxAge === 0) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

function hiddenFields(page: string): Record<string, string> {
  const inputs = page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
}
