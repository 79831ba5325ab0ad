import { type Static, Type } from 'typebox';
import { Actor, DespiteFreeze, ID, IDParameter, Nullable, Text, Timestamp } from './common.ts';

/** Maximum number of values of one fleet, for all of its agents together. */
export const maxFleetVariables = 10_000;
/** Maximum number of secrets of one fleet. */
export const maxFleetSecrets = 100;
/** Maximum number of values that are changed at once. */
export const maxChangedValues = 100;
const maxVariableLength = 1_024;
const maxSecretLength = 4_096;
/** A shorter one would be found in texts that have nothing to do with it, when it is removed from what agents report. */
const minSecretLength = 6;

const Name = Type.String({
  pattern: '^[A-Za-z_][A-Za-z0-9_.-]{0,63}$',
  description: 'As configurations write it: `{{vars.NAME}}` or `{{secrets.NAME}}`.',
  examples: ['region'],
});

export const variableQuery = { name: Type.Optional(Name) } as const;

const valueText =
  'One line, without control characters and without spaces at its ends, which agents would remove.';

const IsUsed = Type.Boolean({
  description:
    'True: configurations that agents of the fleet get use the name, so that agents get a change at once.',
});

const setAndUnset = (value: ReturnType<typeof Text>) => ({
  set: Type.Optional(
    Type.Array(Type.Object({ name: Name, value }, { additionalProperties: false }), {
      maxItems: maxChangedValues,
      description: 'What to set, or to replace.',
    }),
  ),
  unset: Type.Optional(
    Type.Array(Name, { maxItems: maxChangedValues, description: 'What to remove.', examples: [['port']] }),
  ),
});

export const FleetVariable = Type.Object(
  {
    id: ID,
    name: Name,
    value: Type.String({ examples: ['eu-1'] }),
    tag: Nullable(Type.String({ description: 'Only for agents with this tag. Null: that does not matter.' })),
    agentID: Nullable(Type.String({ format: 'uuid', description: 'Only for this agent. Null: for more.' })),
    agentName: Nullable(
      Type.String({ description: 'Its name now. Null: it is for more, or the agent was deleted.' }),
    ),
    isUsed: IsUsed,
    updatedAt: Timestamp,
    updatedBy: Actor,
  },
  { description: 'What a variable stands for in the configurations of a fleet.' },
);
export type FleetVariable = Static<typeof FleetVariable>;

export const UpdateFleetVariables = Type.Object(
  {
    ...setAndUnset(Text(1, maxVariableLength, { description: valueText, examples: ['eu-1'] })),
    tag: Type.Optional(Text(1, 128, { description: 'Only for agents with this tag.', examples: ['eu'] })),
    agentID: Type.Optional(IDParameter('Only for this agent.')),
    despiteFreeze: DespiteFreeze,
  },
  { additionalProperties: false, description: 'Values to change, for the fleet or for a part of it.' },
);
export type UpdateFleetVariables = Static<typeof UpdateFleetVariables>;

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const UpdatedFleetValues = Type.Object(
  { changedCount: count('Values that are other ones now.') },
  { description: 'How many values were changed.' },
);
export type UpdatedFleetValues = Static<typeof UpdatedFleetValues>;

export const FleetSecret = Type.Object(
  { name: Name, isUsed: IsUsed, updatedAt: Timestamp, updatedBy: Actor },
  { description: 'A secret of a fleet. Its value is never shown.' },
);
export type FleetSecret = Static<typeof FleetSecret>;

export const FleetSecrets = Type.Object(
  { secrets: Type.Array(FleetSecret, { description: 'In the order of their names.' }) },
  { description: 'The secrets of a fleet.' },
);
export type FleetSecrets = Static<typeof FleetSecrets>;

export const UpdateFleetSecrets = Type.Object(
  {
    ...setAndUnset(
      Text(minSecretLength, maxSecretLength, {
        description: `${valueText} It must not contain \`\${\`, which agents replace by variables of their environment.`,
        examples: ['correct horse battery staple'],
      }),
    ),
    despiteFreeze: DespiteFreeze,
  },
  { additionalProperties: false, description: 'Secrets to change.' },
);
export type UpdateFleetSecrets = Static<typeof UpdateFleetSecrets>;
