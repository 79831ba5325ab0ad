import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Text, Timestamp, TimestampInput } from './common.ts';

/** The largest number of freeze windows of a project. */
const maxFreezeWindows = 20;

const name = Text(1, 128, { description: 'Unique in the project.', examples: ['weekend'] });
const time = (description: string, example: string) =>
  Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description, examples: [example] });

export const FreezeWindow = Type.Union(
  [
    Type.Object({
      name,
      weekdays: Type.Array(OneOf(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']), {
        minItems: 1,
        maxItems: 7,
        uniqueItems: true,
        description: 'On which it begins.',
        examples: [['fri']],
      }),
      from: time('When it begins, on the clocks of the zone.', '18:00'),
      to: time('When it ends; on the next day if that is not later than `from`.', '08:00'),
      zone: Text(1, 64, { description: 'As in the IANA time zone database.', examples: ['Europe/Berlin'] }),
    }),
    Type.Object({
      name,
      startsAt: TimestampInput('When it begins.'),
      endsAt: TimestampInput('When it ends.'),
    }),
  ],
  {
    description: 'Hours of some weekdays, or a single time, in which no rollout starts and no stage begins.',
  },
);
export type FreezeWindow = Static<typeof FreezeWindow>;

const freezeWindows = Type.Array(FreezeWindow, { maxItems: maxFreezeWindows });

export const UpdateFreezeWindows = Type.Object(
  { freezeWindows },
  { description: 'All freeze windows of the project, in place of those before.' },
);
export type UpdateFreezeWindows = Static<typeof UpdateFreezeWindows>;

export const FreezeWindows = Type.Object(
  {
    freezeWindows,
    freeze: Nullable(
      Type.Object(
        {
          name: Type.String({ description: 'Of the window.' }),
          endsAt: Nullable(Timestamp),
        },
        { description: 'The freeze that holds now. `endsAt` is null if it does not end within two months.' },
      ),
    ),
    nextFreeze: Nullable(
      Type.Object(
        {
          name: Type.String({ description: 'Of the window with which it begins.' }),
          startsAt: Timestamp,
          endsAt: Nullable(Timestamp),
        },
        {
          description:
            'The freeze that begins next, after the one that holds: on some weekdays within a week, or at a single time. Null: none does.',
        },
      ),
    ),
  },
  { description: 'When no rollout of a project starts, and whether that is now.' },
);
export type FreezeWindows = Static<typeof FreezeWindows>;
