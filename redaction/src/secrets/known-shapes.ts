/** A secret that can be recognised by its form in any context. */
export interface KnownShape {
  /** The literal prefix. */
  readonly prefix: string;
  /** A sticky pattern before the body: a run of one class of characters. Matched text is not searched again. */
  readonly lead: RegExp | undefined;
  /** A sticky pattern that must follow: either bounded or a run of one class of characters. */
  readonly body: RegExp;
  /** True if the prefix is kept: for a URL whose path is the credential. */
  readonly keepsPrefix: boolean;
  /** True if the prefix may end an ordinary word, as `sk-` in `disk-`. It must not follow a letter or digit. */
  readonly needsBoundary: boolean;
}

function shapes(
  body: string,
  prefixes: readonly string[],
  options: { readonly lead?: string; readonly keepsPrefix?: boolean; readonly needsBoundary?: boolean } = {},
): readonly KnownShape[] {
  return prefixes.map((prefix) => ({
    prefix,
    lead: options.lead === undefined ? undefined : new RegExp(options.lead, 'y'),
    body: new RegExp(`(?!--redacted--)${body}`, 'y'),
    keepsPrefix: options.keepsPrefix ?? false,
    needsBoundary: options.needsBoundary ?? false,
  }));
}

const asWord = { needsBoundary: true };

/** Tokens with a prefix that their issuers publish, so that scanners find them. */
const tokens: readonly KnownShape[] = [
  // Amazon Web Services: ids of access keys, permanent and temporary
  ...shapes('[A-Z0-9]{16,}', ['AKIA', 'ASIA']),
  // GitHub
  ...shapes('\\w{20,}', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_']),
  // GitLab
  ...shapes('[\\w.-]{16,}', [
    ...['glpat-', 'glptt-', 'gldt-', 'glrt-', 'glcbt-', 'glsoat-', 'glft-', 'glagent-', 'glimt-', 'gloas-'],
  ]),
  // Slack
  ...shapes('[\\w-]{10,}', ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-']),
  // JSON Web Tokens, and the project tokens of Muster: `eyJ` is `{"` in base64
  ...shapes('\\.[\\w-]{4,}(?:\\.[\\w-]*){0,3}', ['eyJ'], { lead: '[\\w-]{8,}' }),
  // Muster; a masked token has `…` instead
  ...shapes('\\w{8,}', ['mst_p_', 'mst_u_', 'mst_a_', 'mst_c_', 'mst_i_', 'mst_s_', 'mst_l_']),
  // Stripe
  ...shapes('\\w{10,}', ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_']),
  // OpenAI, Anthropic and others
  ...shapes('[\\w-]{20,}', ['sk-'], asWord),
  // Google: API keys, OAuth access tokens and client secrets
  ...shapes('[\\w-]{30,}', ['AIza']),
  ...shapes('[\\w-]{20,}', ['ya29.', 'GOCSPX-']),
  // Package registries and clouds
  ...shapes('\\w{30,}', ['npm_', 'hf_', 'rubygems_'], asWord),
  ...shapes('[\\w-]{20,}', ['pypi-', 'dckr_pat_', 'dckr_oat_']),
  ...shapes('[0-9a-f]{40,}', ['dop_v1_', 'doo_v1_', 'dor_v1_']),
  ...shapes('[0-9a-f]{32,}', ['dapi', 'key-'], asWord),
  ...shapes('[\\w-]{20,}', ['tskey-', 'PMAK-', 'xkeysib-', 'lin_api_', 'sntrys_', 'sntryu_', 'ATATT3x']),
  ...shapes('[0-9a-fA-F]{32,}', ['shpat_', 'shpss_', 'shpca_', 'shppa_']),
  ...shapes('[\\w-]{16,64}\\.[\\w-]{16,}', ['SG.'], asWord),
  // HashiCorp Vault
  ...shapes('[\\w-]{20,}', ['hvs.', 'hvb.', 'hvr.'], asWord),
  // Vendors of telemetry: Dynatrace, Grafana, Honeycomb, New Relic
  ...shapes('\\.[A-Z0-9]{24}\\.[A-Z0-9]{20,}', ['dt0c01', 'dt0s01', 'dt0s16']),
  ...shapes('[\\w+/=-]{20,}', ['glsa_', 'glc_', 'hcaik_', 'hcbik_', 'hcxik_', 'hcamk_']),
  ...shapes('[A-Z0-9]{20,}', ['NRAK-', 'NRII-', 'NRIQ-', 'NRSP-'], asWord),
];

const stays = { keepsPrefix: true };
const uuid = '[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}';

/** URL paths that are credentials: everyone who knows them may send. The host may be missing or self-hosted. */
const paths: readonly KnownShape[] = [
  // Slack: incoming webhooks, workflows
  ...shapes('T\\w{2,20}\\/[AB]\\w{2,20}\\/\\w{6,64}(?:\\/\\w{6,64})?', ['/services/', '/workflows/'], stays),
  ...shapes('[TE]\\w{2,20}\\/\\d{5,25}\\/\\w{16,64}', ['/triggers/'], stays),
  // Discord
  ...shapes('\\d{5,25}\\/[\\w-]{16,}', ['/api/webhooks/'], stays),
  // Telegram
  ...shapes('\\d{5,16}:[\\w-]{20,}', ['/bot'], stays),
  // Datadog
  ...shapes('[\\w-]{20,}', ['/v1/input/'], stays),
  // New Relic
  ...shapes('\\d{1,3}\\/\\w{20,}', ['/agent_listener/'], stays),
  // Sumo Logic
  ...shapes('[\\w+/=-]{20,}', ['/receiver/v1/http/'], stays),
  // Loggly, Rapid7
  ...shapes(uuid, ['/inputs/', '/bulk/', '/noformat/', '/noformat/logs/'], stays),
  // Microsoft Teams
  ...shapes(`${uuid}@[\\w@/.-]{20,}`, ['/webhookb2/', '/webhook/'], stays),
  // PagerDuty
  ...shapes('[0-9a-f]{32,}', ['/integration/'], stays),
  // Zapier, Mattermost, Rocket.Chat and others with the same path: a word with digits
  ...shapes('\\d{3,20}\\/\\w{4,64}', ['/hooks/catch/'], stays),
  ...shapes('(?=[a-zA-Z_-]{0,64}\\d)[\\w-]{12,64}(?:\\/[\\w-]{16,64})?', ['/hooks/'], stays),
  // IFTTT
  ...shapes('[\\w-]{16,}', ['/with/key/'], stays),
];

/** Longer prefixes come before shorter ones that they begin with. */
export const knownShapes: readonly KnownShape[] = [...tokens, ...paths].sort(
  (one, other) => other.prefix.length - one.prefix.length,
);
