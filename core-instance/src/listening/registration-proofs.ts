import type { CoreInstanceItem } from '@muster/contract';

const maxProofs = 10_000;

/**
 * The tokens of their own that agents sent when they registered again, until the centre has the registration. In memory alone, because a spool holds no
 * secrets: after a restart of the core instance, the registration is sent without its proof.
 */
export class RegistrationProofs {
  /** By the digest of the token that the agent was given. */
  readonly #all = new Map<string, string>();

  note(tokenDigest: string, agentToken: string): void {
    const [oldest] = this.#all.keys();
    if (this.#all.size >= maxProofs && oldest !== undefined) this.#all.delete(oldest);
    this.#all.set(tokenDigest, agentToken);
  }

  /** The items, with their proofs. */
  addTo(items: readonly CoreInstanceItem[]): CoreInstanceItem[] {
    return items.map((item) => {
      const agentToken = item.kind === 'registration' ? this.#all.get(item.tokenDigest) : undefined;
      return agentToken === undefined ? item : { ...item, agentToken };
    });
  }

  /** The centre has these items. */
  forget(items: readonly CoreInstanceItem[]): void {
    for (const item of items) if (item.kind === 'registration') this.#all.delete(item.tokenDigest);
  }
}
