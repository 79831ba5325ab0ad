import type { LookupAddress } from 'node:dns';
import { type ClientRequestArgs, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { isIP } from 'node:net';
import { type AllowedHosts, RefusedTarget } from './allowed-hosts.ts';

/** A request to a channel. Its URL, headers and body may contain secrets: never log it. */
export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  /** Absent: a redirect is a failure, so that a key in the headers reaches nobody else. */
  readonly followsRedirects?: boolean;
}

export interface PostAnswer {
  readonly status: number;
  /** The beginning of the body. */
  readonly text: string;
  /** The header Retry-After in seconds, if it was sent as a number. */
  readonly retryAfterSeconds: number | undefined;
}

/** Resolves a host name to all its addresses. It may go on in vain once the signal is aborted. @param projectID whose message it is */
export type ResolveHost = (
  host: string,
  signal: AbortSignal,
  projectID: string,
) => Promise<readonly LookupAddress[]>;

export interface PosterOptions {
  readonly allowed: AllowedHosts;
  readonly resolve: ResolveHost;
  /** For one message, redirects included. */
  readonly timeoutMilliseconds: number;
  /** Told of a name with an address that is not allowed. */
  readonly onRefused?: (resolved: NonNullable<RefusedTarget['resolved']>) => void;
}

const maxRedirects = 3;
const maxAnswerBytes = 4_096;
const maxBodyBytes = 256 * 1_024;

/** Sends requests to targets that people have chosen, within limits of time and size, and never to an address that is not allowed. */
export class Poster {
  readonly #options: PosterOptions;

  constructor(options: PosterOptions) {
    this.#options = options;
  }

  /**
   * @throws RefusedTarget for an address that is not allowed, also after a redirect
   * @throws Error whose message does not contain the URL
   */
  async post(outgoing: OutgoingRequest, projectID: string): Promise<PostAnswer> {
    if (Buffer.byteLength(outgoing.body) > maxBodyBytes) throw new Error('The message is too large.');
    const deadline = AbortSignal.timeout(this.#options.timeoutMilliseconds);
    let url = new URL(outgoing.url);
    for (let redirects = 0; ; redirects += 1) {
      const answer = await this.#send(url, outgoing, deadline, projectID);
      if (answer.location === undefined) return answer;
      if (redirects === maxRedirects) throw new Error('It answered with too many redirects.');
      url = nextUrl(url, answer.location);
    }
  }

  /** Checks what can be known without a connection. @throws RefusedTarget */
  checkUrl(text: string): URL {
    const { allowed } = this.#options;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:\/\//i.test(text) || url.hostname === '') {
      throw new RefusedTarget('It is not a URL that begins with https://.');
    }
    if (url.username !== '' || url.password !== '') {
      throw new RefusedTarget('It contains a user or a password, which are not sent.');
    }
    if (url.protocol === 'http:' && !allowed.names(url.hostname)) {
      throw new RefusedTarget(
        'It begins with http://, which is allowed only for hosts that MUSTER_ALERT_ALLOWED_HOSTS names (a setting of the service; restart it). Use https://.',
      );
    }
    // The parser has already turned forms such as 0x7f.1 or 2130706433 into the usual one.
    if (isIP(url.hostname.replace(/^\[(.*)\]$/, '$1')) !== 0) allowed.require(url.hostname, url.hostname);
    return url;
  }

  async #send(
    url: URL,
    outgoing: OutgoingRequest,
    deadline: AbortSignal,
    projectID: string,
  ): Promise<PostAnswer & { readonly location: string | undefined }> {
    this.checkUrl(url.href);
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const [first, ...others] = await this.#resolve(host, deadline, projectID);
    const options: ClientRequestArgs = {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'muster',
        ...outgoing.headers,
        'Content-Length': String(Buffer.byteLength(outgoing.body)),
      },
      // The connection goes to addresses that were checked, the first one that answers, and the name is not resolved again.
      lookup: (_host, wanted, done) => {
        if (wanted.all === true) done(null, [first, ...others]);
        else done(null, first.address, first.family);
      },
      agent: false,
      signal: deadline,
    };
    return new Promise((resolve, reject) => {
      const start = url.protocol === 'https:' ? requestTls : requestPlain;
      const sent = start(url, options, (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        const finish = (): void => {
          const { statusCode: status = 0, headers } = response;
          const text = Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString('utf8');
          // A redirect that keeps the method and the body. Any other one would not deliver the message.
          const isFollowed = outgoing.followsRedirects === true && (status === 307 || status === 308);
          const location = isFollowed ? headers.location : undefined;
          resolve({ status, text, location, retryAfterSeconds: readSeconds(headers['retry-after']) });
          sent.destroy();
        };
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size >= maxAnswerBytes) finish();
        });
        response.on('end', finish);
        response.on('error', (error) => reject(this.#explain(error, host, deadline)));
      });
      sent.on('error', (error) => reject(this.#explain(error, host, deadline)));
      // Without an answer and without an error, such as after 101 Switching Protocols. It does nothing once there was one.
      sent.on('close', () => reject(this.#explain(new ConnectionEnded(), host, deadline)));
      sent.end(outgoing.body);
    });
  }

  /** Every address of the name must be allowed, because anybody can add one. */
  async #resolve(
    host: string,
    deadline: AbortSignal,
    projectID: string,
  ): Promise<readonly [LookupAddress, ...LookupAddress[]]> {
    const { allowed, resolve, onRefused } = this.#options;
    const family = isIP(host);
    const found =
      family === 0
        ? await unlessAborted(resolve(host, deadline, projectID), deadline).catch((error: unknown) => {
            throw this.#explain(error, host, deadline);
          })
        : [{ address: host, family }];
    try {
      for (const { address } of found) allowed.require(host, address);
    } catch (error) {
      if (error instanceof RefusedTarget && error.resolved !== undefined) onRefused?.(error.resolved);
      throw error;
    }
    const [first, ...others] = found;
    if (first === undefined) throw new Error(`${host} has no address.`);
    return [first, ...others];
  }

  /** In words, without the URL. */
  #explain(error: unknown, host: string, deadline: AbortSignal): Error {
    if (deadline.aborted) {
      const seconds = this.#options.timeoutMilliseconds / 1_000;
      return new Error(`${host} did not answer within ${seconds} seconds.`);
    }
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown failure';
    return new Error(`${host} could not be reached (${code}).`);
  }
}

class ConnectionEnded extends Error {
  readonly code = 'CONNECTION_ENDED';
}

/** A redirect may not lead from https to http, where others could read the message. */
function nextUrl(from: URL, location: string): URL {
  if (!URL.canParse(location, from.href)) throw new Error('It answered with a redirect that is not a URL.');
  const next = new URL(location, from);
  if (from.protocol === 'https:' && next.protocol !== 'https:') {
    throw new RefusedTarget('It answered with a redirect from https to an address without TLS.');
  }
  return next;
}

function readSeconds(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}

async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}
