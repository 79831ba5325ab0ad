import { TwoGenerations } from '../../foundation/two-generations.ts';
import type { ServedConfig, ServedFleet } from './served-fleets.ts';

/** Agents in one generation; there are up to two. */
const maxKnownAgents = 100_000;
/** The same of ids with which nobody has registered yet. Agents do so within seconds. */
const maxUnregistered = 10_000;

/** By handle. Whoever asks with many ids without registering pushes out only others that have not registered. */
export class KnownAgents {
  readonly #registered = new TwoGenerations<string, KnownAgent>(maxKnownAgents);
  readonly #unregistered = new TwoGenerations<string, KnownAgent>(maxUnregistered);

  get(handle: string): KnownAgent | undefined {
    return this.#registered.get(handle) ?? this.#unregistered.get(handle);
  }

  set(handle: string, known: KnownAgent): void {
    const isRegistered = known.agentID !== undefined;
    (isRegistered ? this.#unregistered : this.#registered).delete(handle);
    (isRegistered ? this.#registered : this.#unregistered).set(handle, known);
  }

  delete(handle: string): void {
    this.#registered.delete(handle);
    this.#unregistered.delete(handle);
  }

  clear(): void {
    this.#registered.clear();
    this.#unregistered.clear();
  }
}

/** An agent that asks with an id of its own, as far as it must be known to answer it. */
export interface KnownAgent {
  readonly projectID: string;
  /** Undefined: it has not registered with this id yet. */
  readonly agentID: string | undefined;
  readonly fleetID: string;
  /** How much later the dates that it gets are than those of publications. */
  readonly shift: number;
  /** What the last poll has shown. */
  offered: number | undefined;
  offeredAt: number | undefined;
  downloaded: number | undefined;
  /** Of the values of the variables in what it was offered. */
  valuesDigest: string | undefined;
  /** It has registered or reported a configuration since it is in the fleet. */
  readonly hasRun: boolean;
  /** What is still open if it has what it was offered. */
  readonly open: OpenQuestion | undefined;
  /** What was written for it last. */
  written: WrittenValues | undefined;
}

/** The values of the variables of a configuration for one agent. */
export interface WrittenValues {
  readonly config: ServedConfig;
  /** Another one after each change of a value. */
  readonly fleet: ServedFleet;
  readonly texts: readonly (Buffer | string)[];
  readonly at: number;
}

/** `mayRun`: it has registered since it was offered the version, so that it runs it if it has it. `waits`: it has not. */
export interface OpenQuestion {
  readonly kind: 'mayRun' | 'waits';
  readonly readAt: number;
}
