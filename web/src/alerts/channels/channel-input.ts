import type { AlertChannel } from '@muster/client';
import {
  type AlertChannelKind,
  alertChannelNeeds,
  type CreateAlertChannel,
  type UpdateAlertChannel,
} from '@muster/contract';
import { alertsTexts } from '../../texts/alerts.ts';

/** A channel as a person fills it in. It holds a secret: it may be held in the state of a component alone. */
export interface ChannelInput {
  readonly kind: AlertChannelKind;
  readonly name: string;
  readonly url: string;
  readonly key: string;
  /** One address per line. */
  readonly recipients: string;
  readonly isQuiet: boolean;
  readonly quietFrom: string;
  readonly quietUntil: string;
  readonly timeZone: string;
}

/** What the fields of the API are called in the form. */
export const labelsOfFields = {
  name: alertsTexts.channelName,
  url: alertsTexts.url,
  key: alertsTexts.key,
  recipients: alertsTexts.recipients,
  quietHours: alertsTexts.timeZone,
};

export function ownTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** @param timeZone of the person */
export function inputOf(channel: AlertChannel | undefined, timeZone: string): ChannelInput {
  const quiet = channel?.quietHours ?? undefined;
  return {
    kind: channel?.kind ?? 'slack',
    name: channel?.name ?? '',
    url: '',
    key: '',
    recipients: '',
    isQuiet: quiet !== undefined,
    quietFrom: quiet?.from ?? '22:00',
    quietUntil: quiet?.until ?? '07:00',
    timeZone: quiet?.timeZone ?? timeZone,
  };
}

/** What is sent to create it; undefined while something is missing. */
export function createBody(input: ChannelInput): CreateAlertChannel | undefined {
  const secrets = secretsOf(input);
  const name = input.name.trim();
  if (name === '' || secrets === undefined) return undefined;
  return { kind: input.kind, name, ...secrets, quietHours: quietHoursOf(input) };
}

/** What is sent to change it: a secret that is empty stays as it is. */
export function updateBody(input: ChannelInput): UpdateAlertChannel | undefined {
  const name = input.name.trim();
  return name === '' ? undefined : { name, ...secretsOf(input), quietHours: quietHoursOf(input) };
}

function secretsOf({ kind, url, key, recipients }: ChannelInput) {
  const addresses = recipients.split(/[\s,;]+/).filter((address) => address !== '');
  switch (alertChannelNeeds[kind]) {
    case 'url':
      return url.trim() === '' ? undefined : { url: url.trim() };
    case 'key':
      return key.trim() === '' ? undefined : { key: key.trim() };
    case 'recipients':
      return addresses.length === 0 ? undefined : { recipients: addresses };
    case null:
      return {};
  }
}

function quietHoursOf({ isQuiet, quietFrom, quietUntil, timeZone }: ChannelInput) {
  return isQuiet ? { from: quietFrom, until: quietUntil, timeZone } : null;
}
