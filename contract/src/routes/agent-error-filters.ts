import { Type } from 'typebox';

export const dismissed = Type.Optional(
  Type.Boolean({ description: 'true: only dismissed errors. false: only open ones. Absent: both.' }),
);

export const current = Type.Optional(
  Type.Boolean({
    description:
      'true: only errors of the configuration that their agent still has. false: only errors of earlier configurations. Absent: both.',
  }),
);
