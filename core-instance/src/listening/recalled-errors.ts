import { hash } from 'node:crypto';

interface Recalled {
  readonly id: string;
  readonly createdAt: number;
}

const maxRecalled = 20_000;

/**
 * The ids that were answered for errors, so that a repeat gets the same one, as at the centre. They are of this site alone. Every report is still sent
 * to the centre, which decides what a repeat is.
 */
export class RecalledErrors {
  readonly #all = new Map<string, Recalled>();

  /** The name of an error for the other methods. */
  keyOf(agent: string, text: string): string {
    return hash('sha256', `${agent}\n${text}`, 'base64');
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
