import { type Grant, problems } from '@muster/contract';
import { grantsIn } from '../../foundation/credentials/principal.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { withResolvers } from '../../foundation/with-resolvers.ts';
import type { EventListener } from './event-listener.ts';
import { requireReadable } from './listened-types.ts';
import type { TurnBudget } from './turn-budget.ts';

interface ListenerChecksOptions {
  /** @throws Refusal if the listener's project is gone */
  readonly requireProject: (listener: EventListener) => Promise<unknown>;
  /** Called when the check of a listener says that its stream must end. */
  readonly onRefused: (listener: EventListener) => void;
  /** How long other listeners wait for a check, for example while the identity provider does not answer. */
  readonly maxMilliseconds: number;
  readonly budget: TurnBudget;
}

/**
 * Checks the credentials of listeners, as for a request. A stream ends when the permissions of its caller change: a caller that connects again knows
 * that it may now read and do something else.
 */
export class ListenerChecks {
  readonly #options: ListenerChecksOptions;
  readonly #underWay = new Set<EventListener>();

  constructor(options: ListenerChecksOptions) {
    this.#options = options;
  }

  /**
   * Returns the listeners that may get events that were committed before the call. The others are refused, or cannot be checked now
   * because the database or the identity provider does not answer in time.
   */
  async pass(listeners: readonly EventListener[]): Promise<ReadonlySet<EventListener>> {
    const passed = new Set<EventListener>();
    const projects = new Map<string, Promise<unknown>>();
    const { promise, resolve } = withResolvers<void>();
    const timer = setTimeout(resolve, this.#options.maxMilliseconds);
    const checks: Promise<void>[] = [];
    // None waits for another one, so that they share reads of the number that tells whether credentials have changed.
    for (const listener of listeners) {
      if (this.#underWay.has(listener)) continue;
      checks.push(
        this.#isAdmitted(listener, projects).then((isAdmitted) => {
          if (isAdmitted) passed.add(listener);
        }),
      );
      const nextTurn = this.#options.budget.spend();
      if (nextTurn !== undefined) await nextTurn;
    }
    void Promise.all(checks).then(() => resolve());
    await promise;
    clearTimeout(timer);
    // A copy: a check that ends later says nothing about events that are committed until then.
    return new Set(passed);
  }

  async #isAdmitted(listener: EventListener, projects: Map<string, Promise<unknown>>): Promise<boolean> {
    const { projectID } = listener;
    this.#underWay.add(listener);
    try {
      listener.admission = await listener.admission.renew();
      const held = grantsIn(listener.admission.principal, projectID);
      if (held === undefined) throw new Refusal('not_found');
      requireReadable(held, listener.types);
      if (!isSame(held, listener.held)) throw new Refusal('permission_denied');
      const project = projects.get(projectID) ?? this.#options.requireProject(listener);
      projects.set(projectID, project);
      await project;
      return listener.isOpen;
    } catch (error) {
      if (isFinal(error)) this.#options.onRefused(listener);
      return false;
    } finally {
      this.#underWay.delete(listener);
    }
  }
}

function isSame(some: readonly Grant[], others: readonly Grant[]): boolean {
  return some.length === others.length && some.every((grant, place) => grant === others[place]);
}

/** False for a failure of the database or of the identity provider, which may be over soon. */
function isFinal(error: unknown): boolean {
  return error instanceof Refusal && problems[error.code].status < 500;
}
