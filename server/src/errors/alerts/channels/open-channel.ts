import type { AlertChannelKind } from '@muster/contract';
import type { SecretBox } from '../../../foundation/secret-box.ts';
import type { AlertMessage, MessageContext } from '../messages/alert-message.ts';
import type { MailAnswer, MailSender, OutgoingMail } from '../sending/mail-sender.ts';
import type { OutgoingRequest, Poster } from '../sending/post.ts';
import type { ChannelSecrets } from './channel-secrets.ts';
import type { ChannelRow } from './channel-store.ts';
import { discordRequest } from './kinds/discord.ts';
import { alertMail } from './kinds/mail.ts';
import { mattermostRequest } from './kinds/mattermost.ts';
import { opsgenieRequest } from './kinds/opsgenie.ts';
import { pagerDutyRequest } from './kinds/pagerduty.ts';
import { slackRequest } from './kinds/slack.ts';
import { teamsRequest } from './kinds/teams.ts';
import { webhookRequest } from './kinds/webhook.ts';

type ToRequest = (message: AlertMessage, context: MessageContext, secrets: ChannelSecrets) => OutgoingRequest;

const requests: Readonly<Record<Exclude<AlertChannelKind, 'mail' | 'dashboard'>, ToRequest>> = {
  webhook: webhookRequest,
  slack: slackRequest,
  mattermost: mattermostRequest,
  discord: discordRequest,
  teams: teamsRequest,
  pagerduty: pagerDutyRequest,
  opsgenie: opsgenieRequest,
};

/** True for services in which a message opens an incident, and another one ends it. */
export function isOnCall(kind: string): boolean {
  return kind === 'pagerduty' || kind === 'opsgenie';
}

/** A message in the form of its channel. It may contain secrets: never log it. */
export type Outgoing =
  | { readonly by: 'post'; readonly request: OutgoingRequest }
  | { readonly by: 'mail'; readonly mail: OutgoingMail }
  /** It is in the list of messages already. */
  | { readonly by: 'list' };

export function outgoingOf(
  channel: Pick<ChannelRow, 'kind' | 'recipients'>,
  secrets: ChannelSecrets,
  message: AlertMessage,
  context: MessageContext,
): Outgoing {
  const kind = channel.kind as AlertChannelKind; // written by the service alone
  if (kind === 'mail') {
    const recipients = JSON.parse(channel.recipients ?? '[]') as string[]; // written by the service alone
    return { by: 'mail', mail: alertMail(message, context, recipients) };
  }
  if (kind === 'dashboard') return { by: 'list' };
  return { by: 'post', request: requests[kind](message, context, secrets) };
}

/** The secrets of a channel. Undefined: they are stored with another key. */
export function openSecrets(
  box: SecretBox,
  { id, sealed, key_id: keyID }: Pick<ChannelRow, 'id' | 'sealed' | 'key_id'>,
): ChannelSecrets | undefined {
  if (sealed === null || keyID === null) return {};
  const text = box.open({ sealed, keyID }, id);
  return text === undefined ? undefined : (JSON.parse(text) as ChannelSecrets); // sealed by the service alone
}

/** What becomes of one attempt. */
export interface Attempt {
  readonly isDelivered: boolean;
  readonly status?: number | undefined;
  /** What was answered. */
  readonly answer?: string | undefined;
  /** Of a mail also that it was delivered to some recipients only. */
  readonly failure?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

interface Senders {
  readonly poster: Pick<Poster, 'post'>;
  /** Undefined: MUSTER_SMTP_URL is not set. */
  readonly mailSender: Pick<MailSender, 'send'> | undefined;
}

/** Sends a message of a project once. Never throws: what goes wrong is in the attempt, without secrets. */
export async function attemptToSend(
  outgoing: Outgoing,
  projectID: string,
  { poster, mailSender }: Senders,
): Promise<Attempt> {
  try {
    if (outgoing.by === 'mail') {
      if (mailSender === undefined) {
        return {
          isDelivered: false,
          failure: 'Mail is not set up: set MUSTER_SMTP_URL and MUSTER_SMTP_FROM.',
        };
      }
      return mailAttempt(outgoing.mail, await mailSender.send(outgoing.mail));
    }
    if (outgoing.by === 'list') return { isDelivered: true };
    const { status, text, retryAfterSeconds } = await poster.post(outgoing.request, projectID);
    const isDelivered = status >= 200 && status < 300;
    const { hostname } = new URL(outgoing.request.url);
    const failure = isDelivered ? undefined : failureOf(hostname, status);
    return { isDelivered, status, answer: text, failure, retryAfterSeconds };
  } catch (error) {
    return { isDelivered: false, failure: error instanceof Error ? error.message : 'It could not be sent.' };
  }
}

/**
 * What is refused for some recipients is not sent again: the others would get it twice, or wait for what comes next until those can be reached. The failure
 * names nobody, because files for support contain it.
 */
function mailAttempt({ to }: OutgoingMail, { text, refused, isRefusedForNow }: MailAnswer): Attempt {
  if (refused.length === 0) return { isDelivered: true, answer: text };
  const advice = isRefusedForNow ? 'for now' : 'for good: correct their addresses';
  return {
    isDelivered: true,
    answer: `Refused for ${refused.join(', ')}. For the others: ${text}`,
    failure: `The mail server refused the mail for ${refused.length} of ${to.length} recipients, ${advice}. The message names them.`,
  };
}

function failureOf(host: string, status: number): string {
  const isRedirect = status >= 300 && status < 400;
  return isRedirect
    ? `${host} answered ${status}, a redirect that is not followed. Change the address of the channel to the final one.`
    : `${host} answered ${status}.`;
}
