import type { Secret } from '../secret.ts';
import type { Setting } from './setting.ts';
import { allowedHosts, mailAddress, secretKey, smtpUrl, wholeNumber } from './setting-types.ts';

/** The settings of alerts: where they may be sent, and with what. */
export const alertSettings = {
  secretKey: {
    variable: 'MUSTER_SECRET_KEY',
    flag: '--secret-key',
    type: secretKey,
    default: undefined,
    help: 'Key with which addresses and keys of alert channels, and secrets of fleets, are stored encrypted. All replicas need the same. Absent: the file `secret-key` in the data directory, which the first start creates; with PostgreSQL there is no such file, and neither secrets of fleets nor other channels than mail can be created. Prefer the variable: flags are visible to every user of the machine.',
  },
  smtpUrl: {
    variable: 'MUSTER_SMTP_URL',
    flag: '--smtp-url',
    type: smtpUrl,
    default: undefined,
    help: 'Mail server through which alerts are sent, with user and password. `smtps://` uses TLS from the start; `smtp://` uses it if the server offers it. Requires MUSTER_SMTP_FROM too. Prefer the variable: flags are visible to every user of the machine.',
  },
  smtpFrom: {
    variable: 'MUSTER_SMTP_FROM',
    flag: '--smtp-from',
    type: mailAddress,
    default: undefined,
    help: 'Mail address from which alerts are sent. Requires MUSTER_SMTP_URL too.',
  },
  alertAllowedHosts: {
    variable: 'MUSTER_ALERT_ALLOWED_HOSTS',
    flag: '--alert-allowed-hosts',
    type: allowedHosts,
    default: undefined,
    help: 'Host names, addresses and networks to which alerts may be sent although they are private, such as `mattermost.internal,10.1.0.0/16`. They may also be reached without TLS. Every other private, loopback or link-local address is refused.',
  },
  alertDeliveriesDays: {
    variable: 'MUSTER_ALERT_DELIVERIES_DAYS',
    flag: '--alert-deliveries-days',
    type: wholeNumber(1, 36_500),
    default: 30,
    help: 'Number of days for which the log of messages to alert channels is kept.',
  },
} as const satisfies Record<string, Setting>;

export interface AlertConfig {
  readonly secretKey: Secret | undefined;
  /** Absent: mail cannot be sent. */
  readonly mail: { readonly url: Secret; readonly from: string } | undefined;
  readonly alertAllowedHosts: readonly string[];
  readonly alertDeliveriesDays: number;
}

export function mailOf(url: Secret | undefined, from: string | undefined): AlertConfig['mail'] {
  return url === undefined || from === undefined ? undefined : { url, from };
}
