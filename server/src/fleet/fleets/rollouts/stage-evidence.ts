/** The agents that a count is about. */
export interface GroupCounts {
  /** Agents that run the new version because the running stage gave it to them. */
  readonly stage: number;
  /** Agents that an earlier stage gave it to. */
  readonly earlier: number;
  /** Agents that do not run it. */
  readonly control: number;
}

/** What can be wrong with one agent alone, whatever others do. */
type HardFailureKind = 'rejected' | 'crashed';

export interface HardFailure {
  readonly agentID: string;
  readonly kind: HardFailureKind;
  /** Whether the running stage gave it the version. */
  readonly isOfStage: boolean;
}

/** When the first and the second agent that the running stage gave the version to had something new, and when those of earlier stages. */
export interface FirstTimes {
  readonly stage: readonly number[];
  readonly earlier: readonly number[];
}

/** A cause that agents did not have before the version, and have since. */
export interface CauseEvidence {
  readonly groupID: string;
  /** How many agents of each group got it since the rollout began. */
  readonly newOn: GroupCounts;
  /** Of the agents of earlier stages, the ones that got it since the running stage began. */
  readonly newOnEarlier: number;
  readonly firstAt: FirstTimes;
}

/** What is known about a rollout while a stage runs. Counts of agents are of those that are alive. */
export interface StageEvidence {
  readonly now: number;
  readonly stage: {
    readonly isLast: boolean;
    readonly startedAt: number;
    readonly soakMilliseconds: number;
    /** For how long nothing could be seen, because the service itself was not running. */
    readonly unseenMilliseconds: number;
    /** How long it takes until all of its agents may have the version. */
    readonly pacedMilliseconds: number;
    /** Alive when the stage began. */
    readonly agents: number;
    /** Of these, the ones that have run the version for the whole soak. */
    readonly observed: number;
    /** Sites with agents of this stage whose reports do not come in: their silence is not health. */
    readonly silentSites: readonly string[];
  };
  readonly running: GroupCounts;
  readonly hardFailures: readonly HardFailure[];
  /** Agents that were never heard again since the running stage began: after they got the version, and others in the same time. */
  readonly lost: GroupCounts;
  readonly causes: readonly CauseEvidence[];
  /** Agents that have any cause since the running stage began that they did not have before. */
  readonly worse: GroupCounts;
  readonly worseFirstAt: FirstTimes;
}
