/** At most twice this number is remembered, in about 60 bytes each. */
const maxOfGeneration = 65_536;

/**
 * Remembers reports that repeated an open error, as a hint which statement to use for the next equal one. The hint may be wrong in both directions,
 * because the database decides.
 */
export class KnownRepeats {
  #current = new Set<number>();
  #before = new Set<number>();

  note(agentID: string, digest: Buffer): void {
    if (this.#current.size >= maxOfGeneration) {
      this.#before = this.#current;
      this.#current = new Set();
    }
    this.#current.add(keyOf(agentID, digest));
  }

  has(agentID: string, digest: Buffer): boolean {
    const key = keyOf(agentID, digest);
    return this.#current.has(key) || this.#before.has(key);
  }
}

/** The sum of 48 bits of each, which is less than the largest safe integer. */
function keyOf(agentID: string, digest: Buffer): number {
  return Number.parseInt(agentID.slice(-12), 16) + digest.readUIntBE(0, 6);
}
