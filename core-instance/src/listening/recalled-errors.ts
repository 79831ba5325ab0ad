import { hash } from 'node:crypto';

interface Recalled {
  readonly id: string;
  readonly createdAt: number;
}

interface RunConfig {
  readonly digest: string;
  /** How often the agent has got another one since the start. */
  readonly epoch: number;
}

const maxRecalled = 20_000;
const maxConfigs = 100_000;

/**
 * The ids that were answered for errors, so that a repeat gets the same one, as at the centre. They are of this site alone. Every report is still sent
 * to the centre, which decides what a repeat is.
 */
export class RecalledErrors {
  readonly #all = new Map<string, Recalled>();
  readonly #configs = new Map<string, RunConfig>();

  /**
   * An agent has said which configuration it runs. With another one, no error is a repeat of an earlier one, as at the centre. Whether the first one that is
   * heard of is another one is not known here: it counts as one, because a new error must not be taken for a repeat.
   */
  noteConfig(agent: string, rawConfig: string | null | undefined): void {
    if (rawConfig === undefined || rawConfig === null) return;
    const digest = hash('sha256', rawConfig, 'base64');
    const before = this.#configs.get(agent);
    if (before?.digest === digest) return;
    if (before === undefined && this.#configs.size >= maxConfigs) {
      this.#configs.clear();
      this.#all.clear();
    }
    this.#configs.set(agent, { digest, epoch: (before?.epoch ?? 0) + 1 });
  }

  /** The name of an error for the other methods. */
  keyOf(agent: string, text: string): string {
    return hash('sha256', `${agent}\n${this.#configs.get(agent)?.epoch ?? 0}\n${text}`, 'base64');
  }

  /** True if an id was answered for it. */
  has(key: string): boolean {
    return this.#all.has(key);
  }

  /** @param make creates what is answered for an error that is not recalled. */
  recall(key: string, make: () => Recalled): Recalled & { readonly isNew: boolean } {
    const known = this.#all.get(key);
    if (known !== undefined) return { ...known, isNew: false };
    const made = make();
    if (this.#all.size >= maxRecalled) {
      const [oldest] = this.#all.keys();
      if (oldest !== undefined) this.#all.delete(oldest);
    }
    this.#all.set(key, made);
    return { ...made, isNew: true };
  }
}
