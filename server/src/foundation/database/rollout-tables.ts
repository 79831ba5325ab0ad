export interface RolloutTables {
  rollouts: RolloutTable;
  rollout_agents: RolloutAgentTable;
}

interface RolloutTable {
  id: string;
  project_id: string;
  fleet_id: string;
  from_version_id: string;
  to_version_id: string;
  /** The date of the publication that the agents of the rollout get. */
  to_seconds: number;
  /** The date under which they get the version before again. */
  back_seconds: number | null;
  /** JSON: how many agents each stage has, and its soak. */
  stages: string;
  /** `revert` or `hold`. */
  on_failure: string;
  /** `none` or `each_stage`. */
  approval: string;
  /** JSON: who has approved which stage. */
  approvals: string;
  /** Agents of a stage that get the version in each minute. Null: all of them at once. */
  max_per_minute: number | null;
  /** 1: its stages begin also during a freeze of the project. */
  despite_freeze: number;
  reason: string;
  /** One of the contract's `rolloutStates`. */
  state: string;
  /** JSON: why it is in its state. */
  verdict: string | null;
  /** JSON: what agents had shown when it ended. */
  evidence: string | null;
  /** JSON: what became of it. */
  history: string;
  /** From 0. */
  stage: number;
  stage_started_at: number;
  /** Agents of the stage that were heard when it began. */
  stage_agents: number;
  /** For how long nobody looked at the stage. */
  unseen_ms: number;
  looked_at: number;
  /** Nobody further gets the version until then. */
  held_until: number | null;
  /** For how long nobody of the stage got the version because of a suspicion. */
  held_ms: number;
  /** How many polls of agents that ask with the id of their fleet were answered with the version before its last stage. */
  shared_given: number;
  /** Grows with every change, so that two replicas do not make the same one. */
  revision: number;
  started_at: number;
  started_by_kind: string;
  started_by_id: string | null;
  started_by_name: string | null;
  ended_at: number | null;
}

/** When an agent gets the version. */
interface RolloutAgentTable {
  rollout_id: string;
  agent_id: string;
  stage: number;
  /** In the stage, from 0. */
  position: number;
}
