import { shareOfCause } from '../../errors/limits/new-error-limits.ts';

/** What becomes of a report. */
export type ModelOutcome =
  | { readonly kind: 'new' | 'repeated'; readonly error: ModelError }
  | { readonly kind: 'refused'; readonly code: string };

export interface ModelError {
  /** The service chooses it. */
  id: string;
  readonly agent: ModelAgent;
  readonly group: ModelGroup;
  readonly text: string;
  readonly epoch: number;
  readonly createdAt: number;
  /** Stored as dismissed. */
  readonly isMuted: boolean;
  dismissedAt: number | null;
  dismissal: string | undefined;
  occurrences: number;
}

export interface ModelAgent {
  readonly id: string;
  epoch: number;
  configuredAt: number;
}

interface ModelMute {
  readonly at: number;
  readonly until: number;
  readonly endsWithConfiguration: boolean;
  readonly endsAtAgents: number;
}

export interface ModelGroup {
  readonly cause: string;
  mute: ModelMute | undefined;
  dismissedAt: number | null;
  partlyDismissedAt: number | null;
  regressedAt: number | null;
  regressedBefore: number | null;
}

interface ModelLimits {
  readonly openPerAgent: number;
  readonly newPerAgentPerMinute: number;
  readonly newPerProjectPerSecond: number;
}

interface ModelReport {
  readonly agent: ModelAgent;
  readonly text: string;
  readonly cause: string;
  readonly at: number;
  readonly isOfSite: boolean;
}

const minute = 60_000;
const second = 1_000;

const isOpen = ({ dismissedAt }: ModelError): boolean => dismissedAt === null;
const isCurrent = ({ epoch, agent }: ModelError): boolean => epoch === agent.epoch;

/** The rules for the reports of one project, without anything remembered: each looks at all errors. */
export class ReportOutcomeModel {
  readonly errors: ModelError[] = [];
  readonly groups = new Map<string, ModelGroup>();
  readonly #limits: ModelLimits;

  constructor(limits: ModelLimits) {
    this.#limits = limits;
  }

  report({ agent, text, cause, at, isOfSite }: ModelReport): ModelOutcome {
    const equal = this.errors.filter(
      (error) => error.agent === agent && error.text === text && isCurrent(error),
    );
    const open = equal.find(isOpen);
    const mute = this.groups.get(cause)?.mute;
    const isMuted = mute !== undefined && at < mute.until;
    const repeated = open ?? (isMuted ? equal.find((error) => error.isMuted) : undefined);
    if (repeated !== undefined) {
      repeated.occurrences += 1;
      return { kind: 'repeated', error: repeated };
    }
    const code = this.#limitOf(agent, cause, at, isOfSite);
    if (code !== undefined) return { kind: 'refused', code };
    return { kind: 'new', error: this.#create({ agent, text, cause, at, isOfSite }, isMuted) };
  }

  configure(agent: ModelAgent, at: number): void {
    agent.epoch += 1;
    agent.configuredAt = at;
  }

  dismiss(errors: readonly ModelError[], at: number, dismissal?: string): void {
    for (const group of new Set(errors.map((error) => error.group))) {
      const dismissed = errors.filter((error) => error.group === group);
      for (const error of dismissed) Object.assign(error, { dismissedAt: at, dismissal });
      const isComplete = this.#currentOf(group) === 0;
      if (!isComplete && !dismissed.some(isCurrent)) continue;
      if (group.dismissedAt !== at && group.partlyDismissedAt !== at)
        group.regressedBefore = group.regressedAt;
      if (isComplete) Object.assign(group, { dismissedAt: at, partlyDismissedAt: null, regressedAt: null });
      else group.partlyDismissedAt = at;
    }
  }

  /** False: an equal error is open. */
  reopen(error: ModelError): boolean {
    const hasEqual = this.errors.some((other) => isOpen(other) && isEqual(error, other));
    error.dismissal = hasEqual ? error.dismissal : undefined;
    if (hasEqual) return false;
    const { group } = error;
    error.dismissedAt = null;
    group.partlyDismissedAt ??= group.dismissedAt;
    group.dismissedAt = null;
    return true;
  }

  /** Of equal errors, the newest is reopened. */
  undo(dismissal: string): void {
    const errors = this.errors.filter((error) => error.dismissal === dismissal);
    const at = errors[0]?.dismissedAt ?? null;
    for (const error of errors.sort((one, other) => (one.id < other.id ? 1 : -1))) this.reopen(error);
    for (const error of errors) error.dismissal = undefined;
    if (at === null) return;
    for (const group of new Set(errors.map((error) => error.group))) {
      if (group.dismissedAt !== null) continue;
      const { partlyDismissedAt, regressedAt, regressedBefore } = group;
      if (partlyDismissedAt === at || (regressedAt !== null && regressedAt >= at)) {
        group.regressedAt = regressedBefore !== null && regressedBefore < at ? regressedBefore : null;
        group.regressedBefore = group.regressedAt;
      }
      if (partlyDismissedAt === at) group.partlyDismissedAt = null;
    }
  }

  mute(group: ModelGroup, mute: Omit<ModelMute, 'endsAtAgents'>, moreAgents: number | undefined): void {
    const endsAtAgents = moreAgents === undefined ? Infinity : this.#agentsOf(group) + moreAgents;
    group.mute = { ...mute, endsAtAgents };
  }

  endMutes(now: number): void {
    for (const group of this.groups.values()) {
      const { mute } = group;
      if (mute === undefined || mute.until <= now) continue;
      const hasReturned = this.errors.some(
        (error) =>
          error.group === group &&
          isCurrent(error) &&
          error.createdAt >= mute.at &&
          error.agent.configuredAt >= mute.at,
      );
      if (this.#agentsOf(group) >= mute.endsAtAgents || (mute.endsWithConfiguration && hasReturned))
        group.mute = undefined;
    }
  }

  countsOf(group: ModelGroup) {
    const errors = this.errors.filter((error) => error.group === group);
    const open = errors.filter(isOpen);
    return {
      agents: this.#agentsOf(group),
      current_errors: open.filter(isCurrent).length,
      superseded_errors: open.filter((error) => !isCurrent(error)).length,
      dismissed_errors: errors.length - open.length,
      occurrences: errors.reduce((sum, { occurrences }) => sum + occurrences, 0),
      dismissed_at: group.dismissedAt,
      partly_dismissed_at: group.partlyDismissedAt,
      regressed_at: group.regressedAt,
    };
  }

  #create({ agent, text, cause, at }: ModelReport, isMuted: boolean): ModelError {
    const group = this.groups.get(cause) ?? newGroup(cause);
    this.groups.set(cause, group);
    const hadDismissed = this.errors.some(
      (error) =>
        error.agent === agent &&
        error.group === group &&
        !error.isMuted &&
        error.dismissedAt !== null &&
        error.dismissedAt <= at,
    );
    const error = {
      ...{ id: '', agent, group, text, epoch: agent.epoch, createdAt: at, isMuted },
      ...{ dismissedAt: isMuted ? at : null, dismissal: undefined, occurrences: 1 },
    };
    this.errors.push(error);
    if (isMuted) return error;
    const { dismissedAt, partlyDismissedAt } = group;
    if (dismissedAt !== null) {
      group.dismissedAt = null;
      // What a site passes on late happened before the dismissal.
      if (at >= dismissedAt) group.regressedAt = at;
      else group.partlyDismissedAt ??= dismissedAt;
    } else if (partlyDismissedAt !== null && hadDismissed && at >= partlyDismissedAt) {
      group.regressedAt = at;
      group.partlyDismissedAt = null;
    }
    return error;
  }

  #limitOf(agent: ModelAgent, cause: string, at: number, isOfSite: boolean): string | undefined {
    const { openPerAgent, newPerAgentPerMinute, newPerProjectPerSecond } = this.#limits;
    const ofAgent = this.errors.filter((error) => error.agent === agent);
    const open = ofAgent.filter(isOpen);
    const recent = (errors: readonly ModelError[], milliseconds: number) =>
      errors.filter(({ createdAt }) => Math.abs(at - createdAt) < milliseconds);
    const reaches = (errors: readonly ModelError[], limit: number): boolean =>
      limit > 0 && errors.length >= limit;
    const ofCause = (errors: readonly ModelError[]) => errors.filter(({ group }) => group.cause === cause);
    if (reaches(open, openPerAgent)) return 'too_many_open_errors';
    const perMinute = isOfSite ? 0 : newPerAgentPerMinute;
    const ofMinute = recent(ofAgent, minute);
    if (reaches(ofMinute, perMinute)) return 'too_many_new_errors_of_agent';
    const perSecond = isOfSite ? 0 : newPerProjectPerSecond;
    if (reaches(recent(this.errors, second), perSecond)) return 'too_many_new_errors_of_project';
    const isFlood =
      reaches(ofCause(open), shareOfCause(openPerAgent)) ||
      reaches(ofCause(ofMinute), shareOfCause(perMinute));
    return isFlood ? 'too_many_errors_of_cause' : undefined;
  }

  #currentOf(group: ModelGroup): number {
    return this.errors.filter((error) => error.group === group && isOpen(error) && isCurrent(error)).length;
  }

  #agentsOf(group: ModelGroup): number {
    return new Set(this.errors.filter((error) => error.group === group).map(({ agent }) => agent)).size;
  }
}

function isEqual(one: ModelError, other: ModelError): boolean {
  return one.agent === other.agent && one.text === other.text && one.epoch === other.epoch;
}

function newGroup(cause: string): ModelGroup {
  return {
    cause,
    mute: undefined,
    dismissedAt: null,
    partlyDismissedAt: null,
    regressedAt: null,
    regressedBefore: null,
  };
}
