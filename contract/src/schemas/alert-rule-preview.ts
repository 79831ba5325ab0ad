import { type Static, Type } from 'typebox';
import { Nullable, Timestamp, TimestampOf } from './common.ts';

/** How many days a preview of a rule looks back. */
export const previewDays = 7;

/** Maximum number of alerts that a preview lists. */
export const maxPreviewedAlerts = 50;

const PreviewedAlert = Type.Object({
  at: TimestampOf(
    'When it would have been told, without the minute that a channel may wait for its next message.',
  ),
  subject: Type.String({
    description: 'The id of the group, token, user or core instance that it is about.',
  }),
  title: Type.String({ examples: ['New error on 37 of 40 agents (92.5%)'] }),
  text: Nullable(Type.String({ description: 'The text of an error. Null: it is about something else.' })),
});

/** What an alert rule would have told. */
export const AlertRulePreview = Type.Object(
  {
    since: Timestamp,
    until: Timestamp,
    alertsCount: Nullable(
      Type.Integer({
        minimum: 0,
        description:
          'What it would have told. Null: it cannot be computed from what is stored; `limits` says why.',
      }),
    ),
    messagesCount: Nullable(
      Type.Integer({
        minimum: 0,
        description:
          'How many messages a channel without quiet hours would have got, because a channel gets at most one a minute, without those that say that something is over. Null: as `alertsCount`.',
      }),
    ),
    alerts: Type.Array(PreviewedAlert, {
      maxItems: maxPreviewedAlerts,
      description: `The newest ${maxPreviewedAlerts}, newest first.`,
    }),
    appliesNow: Nullable(
      Type.Boolean({
        description:
          'Of a rule about something that lasts (`agents_offline`, `core_instance_unreachable`, `token_expiring`): true if it would tell at once. Null: the rule is about something that happens.',
      }),
    ),
    limits: Type.Array(Type.String(), {
      description: 'Where the preview may differ from what the rule would have done, in sentences.',
      examples: [['Numbers of agents are those of now, because earlier ones are not stored.']],
    }),
  },
  { description: `What an alert rule would have told in the last ${previewDays} days.` },
);
export type AlertRulePreview = Static<typeof AlertRulePreview>;
