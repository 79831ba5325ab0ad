import type { Config } from '../../foundation/settings/config.ts';
import { ask, askItself, parseObject } from './ask.ts';
import type { Report } from './finding.ts';

/**
 * Whether the service answers on its own port. Like `muster login`, it finds a service on any port by the file in the data directory, otherwise
 * by HOST and PORT. Returns its metrics, if it answers.
 */
export async function checkPort(
  config: Config,
  serverUrl: string | undefined,
  report: Report,
): Promise<string | undefined> {
  const bases = [...new Set([serverUrl, ownUrl(config)])].filter((base) => base !== undefined);
  const reasons: string[] = [];
  for (const base of bases) {
    const answer = await askItself(`${base}/readyz`);
    if (answer.status === undefined && isSilent(answer.code)) {
      reasons.push(`${base}: ${answer.reason}`);
      continue;
    }
    const state = parseObject(answer.text)?.status;
    if (answer.status === 200 && state === 'ready') {
      report('ok', `The service answers on ${base}, and is ready.`);
      return readMetrics(base, config);
    }
    if (answer.status === 503) {
      report(
        'failure',
        `${base}/readyz answers 503: the service cannot reach its database, or is stopping.`,
        'Read the newest lines of its log.',
      );
      return readMetrics(base, config);
    }
    const found = answer.status === undefined ? answer.reason : `status ${answer.status}`;
    report(
      'failure',
      `${base} does not answer as Muster does (${found}): another program has the port, or the service runs with other settings of TLS.`,
      'Find the program (ss -ltnp), and end it or give Muster another PORT. Give this command the settings of the service.',
    );
    return undefined;
  }
  report(
    'note',
    `Nothing answers on ${reasons.join(', nor on ')}. The service does not run here, or has another port.`,
    'Start it, or run this command with the MUSTER_DATA_DIR, HOST and PORT of the service.',
  );
  return undefined;
}

/** True if no program listens there. */
function isSilent(code: string | undefined): boolean {
  return ['ECONNREFUSED', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'].includes(code ?? '');
}

async function readMetrics(base: string, { metricsToken }: Config): Promise<string | undefined> {
  const token = metricsToken?.reveal();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { status, text } = await askItself(`${base}/metrics`, headers);
  return status === 200 ? text : undefined;
}

function ownUrl({ host: configured, port, tls }: Config): string {
  const host = ['0.0.0.0', '::'].includes(configured) ? '127.0.0.1' : configured;
  return `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
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
  if (typeof found?.issuer !== 'string' || typeof found.jwks_uri !== 'string') {
    report(
      'failure',
      `${url} answers, but not with the configuration of an OpenID Connect provider. Every token is refused.`,
      advice,
    );
    return;
  }
  if (found.issuer !== oidc.issuer) {
    report(
      'failure',
      `The identity provider calls itself ${found.issuer}, and MUSTER_OIDC_ISSUER is ${oidc.issuer}. Every token is refused.`,
      'Spell MUSTER_OIDC_ISSUER exactly as the provider does, with or without the slash at the end.',
    );
    return;
  }
  const keys = await ask(found.jwks_uri);
  if (keys.status === 200) report('ok', `The identity provider ${oidc.issuer} answers, with its keys.`);
  else
    report(
      'failure',
      `The keys of the identity provider cannot be read: ${keys.status ?? keys.reason}.`,
      advice,
    );
}
