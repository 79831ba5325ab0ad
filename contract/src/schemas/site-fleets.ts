import { type Static, Type } from 'typebox';
import { ID, Nullable } from './common.ts';
import { Problem } from './problem.ts';

const seconds = Type.Integer({
  minimum: 0,
  description: 'The date by which agents know a version, in seconds since 1970.',
});

const Publication = Type.Object(
  {
    versionID: ID,
    seconds,
    content: Type.String({
      description: 'What agents get. Ask for it with this key; what a key stands for never changes.',
    }),
  },
  { description: 'A version under a date.' },
);
export type SitePublication = Static<typeof Publication>;

const Rollout = Type.Object(
  {
    to: Publication,
    back: Nullable(Publication),
    before: Nullable(Publication),
    handles: Type.Array(Type.String(), {
      description: 'The agents of this site that get `to`: nobody else does, whatever happens meanwhile.',
    }),
    isForAnonymous: Type.Boolean({
      description: 'True: agents that all ask with the id of the fleet get `to` too.',
    }),
  },
  {
    description:
      'Who gets another version than `current`: `to`, or, if there is `back`, that one instead if it has `to`. Who still has the version of an earlier rollout that went back gets `before`.',
  },
);

const SiteFleet = Type.Object({
  id: ID,
  name: Type.String(),
  number: Type.Integer({ minimum: 0, description: 'The ids of its agents begin with it.' }),
  handleKey: Type.String({
    description: 'With it, the core instance makes ids for agents of this fleet, which the service accepts.',
  }),
  current: Nullable(Publication),
  rollout: Nullable(Rollout),
});
export type SiteFleet = Static<typeof SiteFleet>;

/** What a core instance has to know of the fleets of its project. */
const FleetsOfSite = Type.Object({
  fleets: Type.Array(SiteFleet),
  moved: Type.Array(
    Type.Object({
      handle: Type.String(),
      fleetID: ID,
      shift: Type.Integer({ minimum: 0, description: 'How much later the dates are that it gets.' }),
    }),
    {
      description:
        'All agents of the project that were moved from the fleet that they are configured with, wherever they were heard last, and the agents of this site that get later dates.',
    },
  ),
  publications: Type.Array(Type.Object({ fleetID: ID, versionID: ID, seconds }), {
    description: 'The newest publications of the project, the newest first: what agents say that they have.',
  }),
});
export type FleetsOfSite = Static<typeof FleetsOfSite>;

export const SiteFleets = Type.Object(
  {
    cursor: Type.String({ description: 'Ask with it for what has changed.' }),
    changed: Nullable(FleetsOfSite),
  },
  { description: 'All fleets of the project. `changed` is null if they are as the cursor says.' },
);
export type SiteFleets = Static<typeof SiteFleets>;

/** What stands in a configuration where each site and each agent needs a value of its own. */
const Hole = Type.Union([
  Type.Object({ of: Type.Literal('handle') }),
  Type.Object({
    of: Type.Literal('host'),
    escape: Type.String({ description: 'What stands before each dot of the name.' }),
  }),
  Type.Object({ of: Type.Literal('port') }),
]);

const Part = Type.Union([Type.String(), Hole]);
export type SiteConfigPart = Static<typeof Part>;

/** The parts of a configuration in their order, or why it cannot be had in this form. */
const SiteConfig = Type.Union([Type.Object({ parts: Type.Array(Part) }), Type.Object({ problem: Problem })]);
export type SiteConfig = Static<typeof SiteConfig>;

export const SiteFleetContent = Type.Object(
  {
    classic: SiteConfig,
    yaml: SiteConfig,
    files: Type.String({ description: 'What agents get for the files, as text.' }),
  },
  { description: 'What agents get, as it is sent to them.' },
);
export type SiteFleetContent = Static<typeof SiteFleetContent>;
