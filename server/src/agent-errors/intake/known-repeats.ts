const slots = 2 ** 17;

/**
 * Remembers reports that repeated an open error, as a hint which statement to use for the next equal one. The hint may be wrong in both directions,
 * because the database decides: two reports may share a slot, and then the later one is remembered.
 */
export class KnownRepeats {
  /** Half a megabyte that the garbage collector never reads. */
  readonly #slots = new Uint32Array(slots);

  note(agentID: string, digest: Buffer): void {
    this.#slots[slotOf(agentID, digest)] = markOf(agentID, digest);
  }

  has(agentID: string, digest: Buffer): boolean {
    return this.#slots[slotOf(agentID, digest)] === markOf(agentID, digest);
  }
}

function slotOf(agentID: string, digest: Buffer): number {
  return (Math.imul(endOf(agentID), 0x9e37_79b1) ^ digest.readUInt32LE(4)) >>> 15;
}

/** Never 0, which is an empty slot. */
function markOf(agentID: string, digest: Buffer): number {
  return ((endOf(agentID) ^ digest.readUInt32LE(0)) | 1) >>> 0;
}

/** The last 32 bits, which are random. */
function endOf(agentID: string): number {
  return Number.parseInt(agentID.slice(-8), 16);
}
