import { type Static, Type } from 'typebox';
import { ID, Nullable } from './common.ts';

/** Maximum number of lines that are answered. */
export const maxFleetVersionCounts = 10_000;

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const FleetVersionCounts = Type.Object(
  {
    counts: Type.Array(
      Type.Object({
        fleetID: ID,
        versionID: Nullable(
          Type.String({ format: 'uuid', description: 'What they run. Null: that is not known.' }),
        ),
        number: Nullable(Type.Integer({ minimum: 1, description: 'Of the version.' })),
        isDrifted: Type.Boolean({
          description: 'True: they last got this version, and run something else.',
        }),
        agentsCount: count('Agents.'),
        unhealthyCount: count('Those of them that are unhealthy.'),
        rejectedCount: count('Those of them that have rejected the version that they were offered last.'),
      }),
      { maxItems: maxFleetVersionCounts, description: 'In the order of fleets and versions.' },
    ),
  },
  { description: 'How many agents of each fleet run which version.' },
);
export type FleetVersionCounts = Static<typeof FleetVersionCounts>;
