import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { readServerUrlFile } from '../server-url-file.ts';
import type { Config } from '../settings/config.ts';
import type { Report } from './finding.ts';

const timeoutMilliseconds = 5_000;
const dayMilliseconds = 86_400_000;

/**
 * Whether the service answers on its own port. Like `muster login`, it finds a service on any port by the file in the data directory, otherwise
 * by HOST and PORT. Returns its metrics, if it answers.
 */
export async function checkPort(config: Config, report: Report): Promise<string | undefined> {
  const bases = [...new Set([readServerUrlFile(config.dataDirectory), ownUrl(config)])].filter(
    (base) => base !== undefined,
  );
  const reasons: string[] = [];
  for (const base of bases) {
    const answer = await askItself(`${base}/readyz`);
    if (answer.status === undefined) {
      reasons.push(`${base}: ${answer.reason}`);
      continue;
    }
    if (answer.status === 200) report('ok', `The service answers on ${base}, and is ready.`);
    else {
      report(
        'failure',
        `${base}/readyz answers ${answer.status}: the service cannot reach its database, is stopping, or another program has the port.`,
        'Read the newest lines of its log.',
      );
    }
    const token = config.metricsToken?.reveal();
    const metrics = await askItself(
      `${base}/metrics`,
      token === undefined ? {} : { authorization: `Bearer ${token}` },
    );
    return metrics.status === 200 ? metrics.text : undefined;
  }
  report(
    'note',
    `Nothing answers on ${reasons.join(', nor on ')}. The service does not run here, or has another port.`,
    'Start it, or run this command with the MUSTER_DATA_DIR, HOST and PORT of the service.',
  );
  return undefined;
}

function ownUrl({ host: configured, port, tls }: Config): string {
  const host = ['0.0.0.0', '::'].includes(configured) ? '127.0.0.1' : configured;
  return `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether people and agents reach the service at its public address, and whether proxies on the way fit the settings. */
export async function checkPublicUrl(config: Config, now: number, report: Report): Promise<void> {
  const { publicUrl, trustProxy } = config;
  if (publicUrl === undefined) {
    report('note', 'MUSTER_PUBLIC_URL is not set, so links name the address that the service listens on.');
    return;
  }
  const requestID = 'muster-doctor-0001';
  const answer = await ask(`${publicUrl}/healthz`, { 'x-request-id': requestID });
  if (answer.status !== 200) {
    report(
      'failure',
      `${publicUrl}/healthz ${answer.status === undefined ? `does not answer: ${answer.reason}` : `answers ${answer.status}`}.`,
      'Look at DNS, the proxy and the firewall, or correct MUSTER_PUBLIC_URL.',
    );
  } else report('ok', `${publicUrl} leads to the service.`);
  const isDirect = ['127.0.0.1', 'localhost', '::1', config.host].includes(new URL(publicUrl).hostname);
  const isBehindProxy =
    answer.headers?.get('via') != null ||
    (config.tls === undefined && publicUrl.startsWith('https:')) ||
    !isDirect;
  if (isBehindProxy && trustProxy === false) {
    report(
      'warning',
      'MUSTER_TRUST_PROXY is not set, but a proxy seems to stand in front of the service: all callers then count as one address, which limits of invalid credentials and allowed networks use.',
      'Name the address of the proxy with MUSTER_TRUST_PROXY.',
    );
  } else if (trustProxy === true && ['0.0.0.0', '::'].includes(config.host)) {
    report(
      'warning',
      'MUSTER_TRUST_PROXY is true and the service listens on all addresses: whoever reaches the port can claim any address.',
      'Name the address of the proxy with MUSTER_TRUST_PROXY, or let nothing but the proxy reach the port.',
    );
  }
  if (publicUrl.startsWith('https:')) await checkCertificate(new URL(publicUrl), now, report);
}

async function checkCertificate(url: URL, now: number, report: Report): Promise<void> {
  const port = url.port === '' ? 443 : Number(url.port);
  const expiresAt = await readExpiry(url.hostname.replaceAll(/[[\]]/g, ''), port);
  if (expiresAt === undefined) return;
  const days = Math.floor((expiresAt - now) / dayMilliseconds);
  const text = `The certificate of ${url.host} ${days < 0 ? 'has expired' : `expires in ${days} days`} (${new Date(expiresAt).toISOString()}).`;
  if (days < 0) report('failure', `${text} Agents refuse the connection.`, 'Renew it.');
  else if (days < 21) report('warning', text, 'Renew it, or look why it is not renewed by itself.');
  else report('ok', text);
}

/** Also of a certificate that is not trusted: the request before tells that. */
function readExpiry(host: string, port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port,
      servername: host,
      rejectUnauthorized: false,
      timeout: timeoutMilliseconds,
    });
    const end = (expiresAt?: number): void => {
      socket.destroy();
      resolve(expiresAt);
    };
    socket.once('secureConnect', () => {
      const expiresAt = Date.parse(socket.getPeerCertificate().valid_to);
      end(Number.isNaN(expiresAt) ? undefined : expiresAt);
    });
    socket.once('timeout', () => end());
    socket.once('error', () => end());
  });
}

/** Whether the identity provider answers with the configuration that tokens are checked with. */
export async function checkProvider({ oidc }: Config, report: Report): Promise<void> {
  if (oidc === undefined) return;
  const url = `${oidc.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const answer = await ask(url);
  const advice =
    'Correct MUSTER_OIDC_ISSUER, or look at the network to the identity provider. Tokens of Muster work meanwhile.';
  if (answer.status !== 200) {
    report(
      'failure',
      `The identity provider does not answer at ${url}: ${answer.status ?? answer.reason}. Its users are refused with 503.`,
      advice,
    );
    return;
  }
  const found = parseObject(answer.text);
  if (found?.issuer !== oidc.issuer) {
    report(
      'failure',
      `The identity provider calls itself ${String(found?.issuer)}, and MUSTER_OIDC_ISSUER is ${oidc.issuer}. Every token is refused.`,
      'Spell MUSTER_OIDC_ISSUER exactly as the provider does, with or without the slash at the end.',
    );
    return;
  }
  const keys = await ask(String(found.jwks_uri));
  if (keys.status === 200) report('ok', `The identity provider ${oidc.issuer} answers, with its keys.`);
  else
    report(
      'failure',
      `The keys of the identity provider cannot be read: ${keys.status ?? keys.reason}.`,
      advice,
    );
}

interface Reply {
  /** Undefined: no answer. */
  readonly status?: number;
  readonly text: string;
  readonly reason: string;
  readonly headers?: Headers;
}

async function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  try {
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    const response = await fetch(url, { headers, signal, redirect: 'manual' });
    return { status: response.status, text: await response.text(), reason: '', headers: response.headers };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return { text: '', reason: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** Its certificate names another host than the address of this machine, so it is not checked here: the check of the public URL does that. */
async function askItself(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  if (!url.startsWith('https:')) return ask(url, headers);
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    const fail = ({ message: reason }: Error): void => resolve({ text: '', reason });
    const sent = request(url, { headers, signal, rejectUnauthorized: false, agent: false }, (response) => {
      const done = (body: string): void =>
        resolve({ status: response.statusCode ?? 0, text: body, reason: '' });
      text(response).then(done, fail);
    });
    sent.on('error', fail);
    sent.end();
  });
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null ? { ...found } : undefined;
  } catch {
    return undefined;
  }
}
