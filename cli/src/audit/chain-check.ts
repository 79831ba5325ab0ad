import { hash } from 'node:crypto';
import type { AuditChain, AuditEntry } from '@muster/client';
import { auditText } from '@muster/contract';

/** The end of a log that somebody kept at an earlier time. */
export interface KeptHead {
  readonly sequence: number;
  readonly digest: string;
}

/**
 * Checks the entries of one log in their order. The first fault decides: what follows it proves nothing.
 *
 * Each entry contains the digest of the one before it, and the chain says with which entry the log begins and ends.
 */
export class ChainCheck {
  readonly #chain: AuditChain;
  readonly #kept: KeptHead | undefined;
  #last: KeptHead;
  #count = 0;

  constructor(chain: AuditChain, kept?: KeptHead) {
    this.#chain = chain;
    this.#kept = kept;
    this.#last = chain.anchor;
  }

  /** The number of entries that were checked. */
  get count(): number {
    return this.#count;
  }

  /** The newest entry that was checked, or the anchor. */
  get last(): KeptHead {
    return this.#last;
  }

  /** Returns what is wrong, as a sentence; undefined if the entry follows the one before it. */
  add(entry: AuditEntry): string | undefined {
    const fault = this.#judge(entry);
    if (fault !== undefined) return fault;
    this.#last = { sequence: entry.sequence, digest: entry.digest };
    this.#count += 1;
    return undefined;
  }

  /** Call it after the last entry. */
  end(): string | undefined {
    const { head } = this.#chain;
    const { sequence, digest } = this.#last;
    if (sequence < head.sequence) {
      return `${entries(sequence + 1, head.sequence)} at the end ${sequence + 1 === head.sequence ? 'is' : 'are'} missing.`;
    }
    if (sequence === head.sequence && digest !== head.digest)
      return `Entry ${sequence} is not the one with which the log ends.`;
    return this.#kept === undefined ? undefined : this.#judgeEndsOf(this.#kept, sequence);
  }

  /** What the entries between them cannot tell of a head that was kept. */
  #judgeEndsOf(kept: KeptHead, last: number): string | undefined {
    const { anchor } = this.#chain;
    if (kept.sequence > last) return `The log ends with entry ${last}, but it had an entry ${kept.sequence}.`;
    if (kept.sequence < anchor.sequence)
      return `Entry ${kept.sequence}, which --head names, is not in the log any more, so nothing shows that it was there. Keep the head of a newer check.`;
    if (kept.sequence === anchor.sequence && kept.digest !== anchor.digest)
      return `The log goes on after another entry ${kept.sequence} than the one that was kept with --head.`;
    return undefined;
  }

  #judge(entry: AuditEntry): string | undefined {
    const { sequence, digest } = entry;
    const expected = this.#last.sequence + 1;
    if (entry.projectID !== this.#chain.projectID) return `Entry ${sequence} is of another log.`;
    if (sequence > expected)
      return `${entries(expected, sequence - 1)} ${expected === sequence - 1 ? 'is' : 'are'} missing.`;
    if (sequence < expected) return `Entry ${sequence} comes after entry ${this.#last.sequence}.`;
    if (hash('sha256', auditText(entry as Parameters<typeof auditText>[0])) !== digest) {
      return `Entry ${sequence} was changed: its digest is not that of its contents.`;
    }
    if (entry.previousDigest !== this.#last.digest) {
      return `Entry ${sequence} was made after another entry ${sequence - 1} than the one that is there now.`;
    }
    if (this.#kept?.sequence === sequence && this.#kept.digest !== digest)
      return `Entry ${sequence} is not the one that was kept with --head.`;
    return undefined;
  }
}

function entries(from: number, to: number): string {
  return from === to ? `Entry ${from}` : `Entries ${from} to ${to}`;
}
