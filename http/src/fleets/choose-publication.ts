/** A version under the date by which agents know it. */
interface DatedVersion {
  readonly versionID: string;
  /** `Last-Modified` in seconds since 1970-01-01 UTC. */
  readonly seconds: number;
}

/** What a rollout gives to agents of its fleet. */
export interface RolledOut<Publication> {
  readonly to: Publication;
  /** The version before, published again for the agents that have the new one. */
  readonly back: Publication | undefined;
  /** What the fleet serves to everybody, under the latest date before `to`. It is a later one than that of `current` if an earlier rollout went back to it. */
  readonly before: Publication | undefined;
}

interface Asking<Publication> {
  /** What the agent has downloaded last. Undefined: nothing, or nothing that is known here. */
  readonly has: DatedVersion | undefined;
  /** What the fleet serves to everybody. */
  readonly current: Publication;
  /** True if the agent is to get the new version. */
  readonly isDue: () => boolean;
}

/** Which version of its fleet an agent gets. */
export function choosePublication<Publication extends DatedVersion>(
  rollout: RolledOut<Publication> | undefined,
  { has, current, isDue }: Asking<Publication>,
): Publication {
  // Undefined, or something newer was published for everybody.
  if (rollout === undefined || current.seconds >= rollout.to.seconds) return current;
  const { to, back, before } = rollout;
  // Whoever is ahead goes back under a later date, since an agent takes no earlier one. Nobody else has to load anything.
  if (back !== undefined) {
    const isAhead = has !== undefined && has.seconds > current.seconds && has.versionID !== current.versionID;
    return isAhead || has?.seconds === back.seconds ? back : current;
  }
  if (has !== undefined && has.seconds >= to.seconds) return to;
  if (isDue()) return to;
  // An earlier rollout was superseded while it went back, or this agent asks only now.
  const isLeftBehind =
    before !== undefined &&
    has !== undefined &&
    has.seconds > current.seconds &&
    has.seconds <= before.seconds &&
    (has.versionID !== current.versionID || has.seconds === before.seconds);
  return isLeftBehind ? before : current;
}
