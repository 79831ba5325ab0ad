import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Config } from '../../foundation/settings/config.ts';
import { ask, parseObject, type Reply, timeoutMilliseconds } from './ask.ts';
import type { Report } from './finding.ts';

const dayMilliseconds = 86_400_000;

/** Whether people and agents reach the service at its public address, and whether proxies on the way fit the settings. */
export async function checkPublicUrl(config: Config, now: number, report: Report): Promise<void> {
  const { publicUrl, trustProxy } = config;
  if (publicUrl === undefined) {
    report('note', 'MUSTER_PUBLIC_URL is not set, so links name the address that the service listens on.');
    return;
  }
  const requestID = 'muster-doctor-0001';
  const answer = await ask(`${publicUrl}/healthz`, { 'x-request-id': requestID });
  if (answer.status === 200 && parseObject(answer.text)?.status === 'ok') {
    report('ok', `${publicUrl} leads to the service.`);
  } else if (!isExpired(answer.code)) report('failure', ...describeFault(new URL(publicUrl), answer));
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
  const isRefused = untrusted.test(answer.code ?? '') || answer.code === wrongHost;
  if (publicUrl.startsWith('https:') && !isRefused) await checkCertificate(new URL(publicUrl), now, report);
}

const wrongHost = 'ERR_TLS_CERT_ALTNAME_INVALID';
const untrusted = /SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)/;

/** Another finding tells when the certificate expired. */
function isExpired(code: string | undefined): boolean {
  return code === 'CERT_HAS_EXPIRED';
}

function describeFault({ origin, host, hostname }: URL, reply: Reply): [string, string] {
  const { code = '', status, reason, headers } = reply;
  if (code === wrongHost) {
    return [
      `The certificate of ${host} is for another host, so browsers and agents refuse the connection: ${reason}`,
      `Get a certificate that names ${hostname}, or correct MUSTER_PUBLIC_URL.`,
    ];
  }
  if (untrusted.test(code)) {
    return [
      `This machine does not trust the certificate of ${host}, so agents may refuse the connection: ${reason}.`,
      'Let the server send the certificates of its issuers too. If the authority is your own, name its certificate to this command and to every agent, in Node.js with NODE_EXTRA_CA_CERTS.',
    ];
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return [
      `The name ${hostname} of MUSTER_PUBLIC_URL does not resolve on this machine (${code}).`,
      'Look at DNS, or correct MUSTER_PUBLIC_URL.',
    ];
  }
  if (status === undefined) {
    return [
      `${origin}/healthz does not answer: ${reason}.`,
      'Look whether the proxy runs and the firewall lets this machine in, or correct MUSTER_PUBLIC_URL.',
    ];
  }
  if (status >= 300 && status < 400) {
    return [
      `${origin}/healthz redirects to ${headers?.get('location') ?? 'another address'}. Reports of agents do not follow it.`,
      'Name the address that answers itself with MUSTER_PUBLIC_URL.',
    ];
  }
  if (status === 200) {
    return [
      `${origin} answers, but not as Muster does: its /healthz is of another program.`,
      'Look where the proxy sends requests to, or correct MUSTER_PUBLIC_URL.',
    ];
  }
  return [
    `${origin}/healthz answers ${status}.`,
    'Look whether the service runs, and where the proxy sends requests to, or correct MUSTER_PUBLIC_URL.',
  ];
}

async function checkCertificate(url: URL, now: number, report: Report): Promise<void> {
  const port = url.port === '' ? 443 : Number(url.port);
  const expiresAt = await readExpiry(url.hostname.replaceAll(/[[\]]/g, ''), port);
  if (expiresAt === undefined) return;
  const days = Math.floor((expiresAt - now) / dayMilliseconds);
  const text = `The certificate of ${url.host} ${days < 0 ? 'has expired' : `expires in ${days} ${days === 1 ? 'day' : 'days'}`} (${new Date(expiresAt).toISOString()}).`;
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
      ...(isIP(host) === 0 ? { servername: host } : {}),
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
