import { type Static, Type } from 'typebox';
import { Actor, ID, Nullable, OneOf, Text, Timestamp, TimestampOf } from './common.ts';

/** The services to which alerts are sent. `dashboard`: they are only listed. */
export const alertChannelKinds = [
  'webhook',
  'slack',
  'mattermost',
  'discord',
  'teams',
  'pagerduty',
  'opsgenie',
  'mail',
  'dashboard',
] as const;
export type AlertChannelKind = (typeof alertChannelKinds)[number];

/** The field that says where a channel of a kind sends to. Null: its messages stay in Muster. */
export const alertChannelNeeds: Readonly<Record<AlertChannelKind, 'url' | 'key' | 'recipients' | null>> = {
  webhook: 'url',
  slack: 'url',
  mattermost: 'url',
  discord: 'url',
  teams: 'url',
  pagerduty: 'key',
  opsgenie: 'key',
  mail: 'recipients',
  dashboard: null,
};

export const alertChannelStatuses = ['active', 'failing', 'disabled'] as const;

/** Maximum number of recipients of one mail channel. */
export const maxMailRecipients = 20;

/** Maximum overlap of two secrets of a webhook, in seconds: 7 days. */
export const maxSecretGraceSeconds = 604_800;

const timeOfDay = (description: string) =>
  Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description, examples: ['22:00'] });

const quietHours = Type.Object(
  {
    from: timeOfDay('Local time, hh:mm.'),
    until: timeOfDay('Local time, hh:mm. Earlier than `from`: on the next day.'),
    timeZone: Text(1, 64, {
      description: 'Name of the IANA time zone database.',
      examples: ['Europe/Berlin'],
    }),
  },
  {
    additionalProperties: false,
    description: 'Every day, messages wait between these times, and are then sent as one.',
  },
);
export type QuietHours = Static<typeof quietHours>;

const name = Text(1, 128, { description: 'Not unique.', examples: ['on-call'] });

const quietHoursInput = Type.Union([quietHours, Type.Null()], {
  description: 'When messages wait; null: never.',
});

const secretInputs = {
  url: Type.Optional(
    Text(1, 2048, {
      description:
        'The address to which messages are posted, https. Needed for `webhook`, `slack`, `mattermost`, `discord` and `teams`. For `pagerduty` and `opsgenie`: another address than that of the service, such as that of another region; a change needs `key` too, because the stored key is not sent to another address. Treated as a secret: no answer contains it.',
    }),
  ),
  key: Type.Optional(
    Text(1, 256, {
      description:
        'Needed for `pagerduty` (the integration key of an Events API v2 integration) and `opsgenie` (the key of an API integration). A secret: no answer contains it.',
    }),
  ),
  recipients: Type.Optional(
    Type.Array(Text(3, 254), {
      minItems: 1,
      maxItems: maxMailRecipients,
      description: 'Needed for `mail`: the addresses to which messages are sent.',
      examples: [['on-call@example.com']],
    }),
  ),
};

export const CreateAlertChannel = Type.Object(
  {
    name,
    kind: OneOf(alertChannelKinds, {
      description: '`dashboard`: messages are sent nowhere, and stand in the list of messages.',
      examples: ['mail'],
    }),
    ...secretInputs,
    quietHours: Type.Optional(quietHoursInput),
  },
  { additionalProperties: false, description: 'Where alerts are sent.' },
);
export type CreateAlertChannel = Static<typeof CreateAlertChannel>;

export const UpdateAlertChannel = Type.Object(
  {
    name: Type.Optional(name),
    ...secretInputs,
    quietHours: Type.Optional(quietHoursInput),
    enabled: Type.Optional(
      Type.Boolean({
        description: 'false: nothing is sent, and waiting messages are dropped. true: from now on.',
      }),
    ),
  },
  { additionalProperties: false, description: 'What to change. Absent fields stay as they are.' },
);
export type UpdateAlertChannel = Static<typeof UpdateAlertChannel>;

const channelFields = {
  id: ID,
  name: Type.String({ examples: ['on-call'] }),
  kind: OneOf(alertChannelKinds),
  target: Type.String({
    description:
      'The host of the address, the recipients of mail, or `Muster`. The address itself is secret.',
    examples: ['hooks.example.com'],
  }),
  quietHours: Type.Union([quietHours, Type.Null()]),
  status: OneOf(alertChannelStatuses, {
    description:
      '`failing`: the last attempt to deliver a message failed, or the mail server refused it for some recipients. `disabled`: nothing is sent; `disabledReason` says why.',
  }),
  failingSince: Nullable(
    TimestampOf(
      'When the first of the attempts failed that have all failed since, for all recipients or for some.',
    ),
  ),
  lastFailure: Nullable(Type.String({ description: 'Why the last failed attempt failed.' })),
  lastDeliveredAt: Nullable(Timestamp),
  disabledAt: Nullable(Timestamp),
  disabledReason: Nullable(
    Type.String({ examples: ['The service disabled it: every attempt had failed for 5 days.'] }),
  ),
  createdAt: Timestamp,
  createdBy: Actor,
};

/** Where alerts of a project are sent. */
export const AlertChannel = Type.Object(channelFields, {
  description: 'Where alerts of a project are sent. It contains no secret.',
});
export type AlertChannel = Static<typeof AlertChannel>;

const secret = Type.String({
  description: 'The secret with which messages are signed (Standard Webhooks). No other answer contains it.',
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
});

export const CreatedAlertChannel = Type.Object(
  { ...channelFields, secret: Type.Optional(secret) },
  { description: 'The new channel; of a webhook, with the secret with which messages are signed.' },
);
export type CreatedAlertChannel = Static<typeof CreatedAlertChannel>;

export const RotateAlertChannel = Type.Object(
  {
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxSecretGraceSeconds,
        description:
          'For how long messages are also signed with the earlier secret. Absent: 86400, which is a day.',
      }),
    ),
  },
  { additionalProperties: false, description: 'How long the earlier secret goes on.' },
);
export type RotateAlertChannel = Static<typeof RotateAlertChannel>;

export const RotatedAlertChannel = Type.Object(
  {
    secret,
    earlierSecretEndsAt: TimestampOf('Until then, messages are signed with both secrets.'),
  },
  { description: 'The new secret of a webhook.' },
);
export type RotatedAlertChannel = Static<typeof RotatedAlertChannel>;
