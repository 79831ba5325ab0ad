/** At most twice as many are remembered, in some 60 bytes each. */
const maxOfGeneration = 65_536;

/**
 * Reports that were answered with an error that stands, as a hint where to look for the next one like it. It may be wrong
 * either way: the database decides.
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

/** 48 bits of each, added up: less than the largest safe integer. */
function keyOf(agentID: string, digest: Buffer): number {
  return Number.parseInt(agentID.slice(-12), 16) + digest.readUIntBE(0, 6);
}
