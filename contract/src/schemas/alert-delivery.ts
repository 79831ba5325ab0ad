import { type Static, Type } from 'typebox';
import { ID, Nullable, OneOf, Timestamp, TimestampOf } from './common.ts';

export const alertDeliveryStates = ['waiting', 'delivered', 'failed'] as const;
export type AlertDeliveryState = (typeof alertDeliveryStates)[number];

export const alertMessageKinds = ['alert', 'over', 'digest', 'test'] as const;
export type AlertMessageKind = (typeof alertMessageKinds)[number];

/** A message to a channel, and what became of it. */
export const AlertDelivery = Type.Object(
  {
    id: ID,
    channelID: ID,
    kind: OneOf(alertMessageKinds, {
      description:
        '`alert`: something happened. `over`: it is over. `digest`: several of these. `test`: somebody asked for it.',
    }),
    title: Type.String({ examples: ['New error on 37 of 40 agents (92.5%)'] }),
    state: OneOf(alertDeliveryStates, {
      description:
        '`waiting`: it is sent at `nextAttemptAt`. `failed`: nothing more is tried; `failure` says why.',
    }),
    attempts: Type.Integer({ minimum: 0 }),
    createdAt: Timestamp,
    lastAttemptAt: Nullable(Timestamp),
    nextAttemptAt: Nullable(Timestamp),
    endedAt: Nullable(TimestampOf('When it was delivered or given up.')),
    answerStatus: Nullable(
      Type.Integer({ description: 'The HTTP status of the last answer; null: there was none.' }),
    ),
    answer: Nullable(
      Type.String({
        description:
          'The beginning of the last answer, without secrets of the channel; null: there was none.',
      }),
    ),
    failure: Nullable(
      Type.String({
        description: 'Why the last attempt failed.',
        examples: ['hooks.example.com answered 500.'],
      }),
    ),
    milliseconds: Nullable(Type.Integer({ minimum: 0, description: 'How long the last attempt took.' })),
  },
  { description: 'A message to a channel, and what became of it.' },
);
export type AlertDelivery = Static<typeof AlertDelivery>;
