const slots = 2 ** 17;

/**
 * Remembers reports that repeated an open error, as a hint which statement to use for the next equal one. The hint may be wrong in both directions,
 * because the database decides: two reports may share a slot, and then the later one is remembered.
 */
export class KnownRepeats {
  /** Half a megabyte that the garbage collector never reads. */
  readonly #slots = new Uint32Array(slots);

  /** @param digest as hexadecimal digits */
  note(agentID: string, digest: string): void {
    this.#slots[slotOf(agentID, digest)] = markOf(agentID, digest);
  }

  has(agentID: string, digest: string): boolean {
    return this.#slots[slotOf(agentID, digest)] === markOf(agentID, digest);
  }
}

function slotOf(agentID: string, digest: string): number {
  return (Math.imul(endOf(agentID), 0x9e37_79b1) ^ Number.parseInt(digest.slice(8, 16), 16)) >>> 15;
}

/** Never 0, which is an empty slot. */
function markOf(agentID: string, digest: string): number {
  return ((endOf(agentID) ^ Number.parseInt(digest.slice(0, 8), 16)) | 1) >>> 0;
}

/** The last 32 bits, which are random. */
function endOf(agentID: string): number {
  return Number.parseInt(agentID.slice(-8), 16);
}
