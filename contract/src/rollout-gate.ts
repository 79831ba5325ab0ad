/** What a rollout is stopped by, and when a stage passes (docs/rollouts.md). Shares are from 0 to 1. */
export const rolloutGate = {
  /** Up to this number of updated agents, no failure is allowed, and no failure is put down to chance. */
  fewAgents: 20,
  /** Up to this number of agents with the version, a cause on one of them stops it. On more, it takes two. */
  aloneUpTo: 2,
  /** The share of updated agents that may fail if there are more. */
  allowedShare: 0.02,
  /** How much more frequent among updated agents a failure has to be than among the others, to come with the version. */
  factor: 3,
  /** How much larger the share of updated agents with something new may be than that of the others. */
  worsePoints: 0.1,
  /** And how many times as large: what hits everybody reaches updated agents first, because they have just connected again. */
  worseFactor: 1.5,
  /** The share of its agents that a stage needs to have watched. */
  passShare: 0.9,
} as const;
