import {
  type ChannelFault,
  ChannelFaultService,
  type ResolveAddresses,
} from '../../errors/alerts/channels/channel-fault-service.ts';
import type { Config } from '../../foundation/settings/config.ts';
import type { Finding, Report } from './finding.ts';
import { readTable } from './read-table.ts';

/** The columns of a channel that a check needs. Its name and its secrets are not read. */
interface StoredChannel {
  readonly id: string;
  readonly kind: string;
  /** The host, or the recipients of mail. */
  readonly target: string;
  readonly key_id: string | null;
  readonly disabled_reason: string | null;
  /** Null unless the last attempt failed. */
  readonly last_failure: string | null;
}

const alertChannelsSql =
  'select id, kind, target, key_id, disabled_reason, case when failing_since is null then null else last_failure end as last_failure from alert_channels order by id';

/** Whether alerts reach their channels. Findings name a channel by its kind, its id and its host, and no recipients, because they go into files for support. */
export async function checkAlertChannels(
  config: Config,
  resolve: ResolveAddresses | undefined,
  report: Report,
): Promise<void> {
  const channels = await readTable<StoredChannel>(config, 'alert_channels', alertChannelsSql);
  const faults = new ChannelFaultService(config, resolve);
  let enabledCount = 0;
  let hasFault = false;
  for (const channel of channels) {
    if (channel.disabled_reason !== null) {
      reportDisabled(channel, channel.disabled_reason, report);
      continue;
    }
    enabledCount += 1;
    const { kind, target, key_id: keyID } = channel;
    const found = await faults.find({ kind, target, keyID });
    for (const fault of found) report(...describeFault(channel, fault));
    if (channel.last_failure !== null) {
      report(
        'warning',
        `Messages to the ${nameOf(channel)} fail: ${channel.last_failure}`,
        `${lookUp(channel)} Try it again: muster alert channel test ${channel.id}`,
      );
    }
    hasFault ||= found.length > 0 || channel.last_failure !== null;
  }
  if (hasFault) return;
  report(
    'ok',
    enabledCount === 0
      ? 'No alert channel is enabled.'
      : `Nothing hinders the ${enabledCount} enabled alert channels.`,
  );
}

function reportDisabled(channel: StoredChannel, reason: string, report: Report): void {
  report(
    reason.startsWith('The service') ? 'warning' : 'note',
    `The ${nameOf(channel)} is disabled, so it gets no alerts: ${reason}`,
    `${lookUp(channel)} To enable it: muster alert channel enable ${channel.id}`,
  );
}

function describeFault(channel: StoredChannel, fault: ChannelFault): [Finding['level'], string, string] {
  const name = nameOf(channel);
  switch (fault.kind) {
    case 'no_mail_server':
      return [
        'failure',
        `The ${name} gets no alerts, because MUSTER_SMTP_URL is not set.`,
        'Set MUSTER_SMTP_URL and MUSTER_SMTP_FROM.',
      ];
    case 'unknown_key':
      return [
        'failure',
        `The address of the ${name} is stored with another key than MUSTER_SECRET_KEY or the file secret-key, so it gets no alerts.`,
        'Put back the key, or give the channel its address again: muster alert channel update ID --url-file FILE',
      ];
    case 'refused_host':
      return [
        'failure',
        `The ${name} gets no alerts: ${fault.reason}${fault.address === undefined ? '' : ` It is ${fault.address}.`}`,
        lookUp(channel),
      ];
    case 'unknown_host':
      return [
        'warning',
        `The host of the ${name} does not resolve on this machine (${fault.code}).`,
        'Look at DNS on the machine of the service, or correct the address of the channel.',
      ];
  }
}

function nameOf({ id, kind, target }: StoredChannel): string {
  return `${kind} channel ${id}${kind === 'mail' ? '' : ` (${target})`}`;
}

function lookUp({ id }: StoredChannel): string {
  return `To look at it: muster alert channel get ${id}.`;
}
