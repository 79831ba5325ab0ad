import { type Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestTls } from 'node:https';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CentreFailure } from './centre-failure.ts';
import { proxyAuthorization } from './create-centre-agent.ts';

export interface CentreAddress {
  readonly url: URL;
  readonly agent: Agent;
  readonly proxy: URL | undefined;
  readonly userAgent: string;
}

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  readonly signal: AbortSignal | undefined;
}

interface ReceivedAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

const maxAnswerBytes = 16 * 1024 * 1024;
/** Until a request is sent, until its answer begins, and between two parts of that: a large one may take long on a thin line. */
const silenceMilliseconds = 30_000;
/** For the whole call, also if a proxy sends a byte from time to time. */
const longestMilliseconds = 600_000;

/** Sends a request to the centre, and resolves with its whole answer. @throws CentreFailure unreachable (as a rejection) */
export function exchange(
  { url, agent, proxy, userAgent }: CentreAddress,
  { method, path, headers, body, signal }: SentRequest,
): Promise<ReceivedAnswer> {
  const isTls = url.protocol === 'https:';
  const base = url.pathname.replace(/\/$/, '');
  // Without TLS, a proxy is asked for the whole URL (RFC 9112 section 3.2.2).
  const asked = isTls ? undefined : proxy;
  const place = asked ?? url;
  const tooLong = new AbortController();
  const silence = setTimeout(() => tooLong.abort(), silenceMilliseconds);
  const whole = setTimeout(() => tooLong.abort(), longestMilliseconds);
  const options = {
    agent,
    method,
    host: place.hostname.replace(/^\[|\]$/g, ''),
    port: place.port || (isTls ? 443 : 80),
    path: asked === undefined ? `${base}${path}` : `${url.origin}${base}${path}`,
    headers: {
      Host: url.host,
      Accept: 'application/json',
      'Accept-Encoding': 'gzip',
      'User-Agent': userAgent,
      ...headers,
      ...(asked === undefined ? {} : proxyAuthorization(asked)),
    },
    signal: AbortSignal.any([tooLong.signal, ...(signal === undefined ? [] : [signal])]),
  };
  const answered = new Promise<ReceivedAnswer>((resolve, reject) => {
    const fail = (cause: Error, known?: string): void => {
      const why = tooLong.signal.aborted ? 'there was no answer in time' : (known ?? explain(cause));
      reject(new CentreFailure('unreachable', why, { cause }));
    };
    const request = (isTls ? requestTls : requestHttp)(options, (response) => {
      collect(response, () => silence.refresh()).then((text) => {
        const { statusCode = 0, headers: received } = response;
        resolve({ status: statusCode, retryAfter: received['retry-after'], text });
      }, fail);
    });
    request.once('finish', () => silence.refresh());
    // Node ends it without an error then.
    request.once('upgrade', (_, socket) => {
      socket.destroy();
      fail(new Error('it has switched to another protocol'));
    });
    request.once('error', (cause) => {
      const isFirst = !isTls && asked === undefined && !request.reusedSocket;
      fail(cause, isFirst && isClosed(cause) ? closed : undefined);
    });
    request.end(body);
  });
  return answered.finally(() => {
    clearTimeout(silence);
    clearTimeout(whole);
  });
}

async function collect(response: IncomingMessage, onPart: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const isCompressed = response.headers['content-encoding'] === 'gzip';
  // Its failure ends the iteration too.
  const body = isCompressed ? pipeline(response, createGunzip(), () => undefined) : response;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    onPart();
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

const untrusted =
  'the authority of its certificate is not trusted here: name the certificate of that authority with --ca-file';

const noTls =
  'its port does not speak TLS: write http:// instead of https:// in --url, or name the port that does';

const onlyTls =
  'its port speaks only TLS: write https:// instead of http:// in --url, or name the port that does not';

/** What many servers do that expect TLS. */
const closed =
  'it closed the connection before it had answered: if its port speaks TLS, write https:// instead of http:// in --url, otherwise look into its log';

const explanations: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself: name it with --ca-file',
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired, or the clock of this machine is wrong',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name than that in --url',
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ENOTFOUND: 'the name of its host is not known: check --url and the resolver of this machine',
};

function isClosed({ code }: Error & { readonly code?: unknown }): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** The parser of HTTP was given an alert of TLS (RFC 8446 section 5.1). */
function isTlsRecord({ rawPacket }: Error & { readonly rawPacket?: unknown }): boolean {
  return Buffer.isBuffer(rawPacket) && rawPacket[0] === 0x15 && rawPacket[1] === 0x03;
}

/** The deepest cause says most: `connect ECONNREFUSED 127.0.0.1:7400`. */
function explain(error: Error): string {
  const { code } = error as Error & { readonly code?: unknown }; // errors of the system have one
  const known = typeof code === 'string' ? explanations[code] : undefined;
  if (known !== undefined) return known;
  if (isTlsRecord(error)) return onlyTls;
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return explain(error.errors[0]);
  return error.cause instanceof Error ? explain(error.cause) : error.message;
}
