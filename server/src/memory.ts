import type { CacheFigures } from './cache-figures.ts';

/** What a change may have made untrue. `unknown`: whether the database made the change is not known. */
type Changed = { readonly agents: readonly string[] } | 'unknown';

/** A cache of what the database has. */
interface Remembered {
  readonly figures: CacheFigures;
  /** Absent: nothing in it depends on an agent. */
  forget?(agentID: string): void;
  forgetAll(): void;
}

/**
 * Everything that this process remembers of the database, except for what the writer's thread of SQLite does, which watches the changes there. Whoever makes
 * a change tells it in the turn of the event loop in which it learns of the commit. Changes by other replicas end by the generation number or a time.
 */
export class Memory {
  readonly #remembered = new Map<string, Remembered>();

  /** @param name in the metrics */
  add(name: string, one: Remembered): void {
    this.#remembered.set(name, one);
  }

  changed(what: Changed): void {
    for (const one of this.#remembered.values()) {
      if (what === 'unknown') one.forgetAll();
      else for (const agentID of what.agents) one.forget?.(agentID);
    }
  }

  /** Of each cache, by its name. */
  get figures(): Readonly<Record<string, () => CacheFigures>> {
    return Object.fromEntries([...this.#remembered].map(([name, one]) => [name, () => one.figures]));
  }
}
