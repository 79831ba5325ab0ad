import { findTokens, type LeakKind, maxTokenLength, type ProjectTokenPayload } from '@muster/contract';

/** A credential of Muster, and where it was found. */
export interface Finding {
  readonly kind: LeakKind;
  /** The whole value. Never print it. */
  readonly value: string;
  /** Beginning with 1. */
  readonly line: number;
  /** In characters, beginning with 1. */
  readonly column: number;
  /** The ids that a project token carries. */
  readonly payload: ProjectTokenPayload | undefined;
}

/** Decodes the bytes of a text, so that each credential in it is ASCII. */
type Decode = (chunk: Uint8Array) => string;

const newline = 0x0a;

/**
 * Finds credentials in a stream of bytes of any size, binary ones too, in linear time. It keeps one chunk and the last
 * characters of the one before, in which a credential may begin.
 */
export class CredentialScan {
  #decode: Decode | undefined;
  #isUtf16 = false;
  #carried = '';
  /** The offset of the first carried character, its line, and the characters before it in that line. */
  #offset = 0;
  #line = 1;
  #charactersBefore = 0;
  /** The end of the last credential that was found. */
  #foundUntil = 0;

  /** The credentials that end in this chunk. */
  read(chunk: Uint8Array): Finding[] {
    this.#decode ??= this.#chooseDecoder(chunk);
    const text = this.#carried + this.#decode(chunk);
    const findings: Finding[] = [];
    const base = this.#offset;
    let passed = 0;
    for (const { index, value, kind, payload } of findTokens(text)) {
      if (base + index < this.#foundUntil) continue;
      this.#pass(text, passed, index);
      passed = Math.max(passed, index);
      this.#foundUntil = base + index + value.length;
      findings.push({ kind, value, payload, line: this.#line, column: this.#charactersBefore + 1 });
    }
    const kept = Math.max(passed, text.length - maxTokenLength);
    this.#pass(text, passed, kept);
    this.#offset = base + kept;
    this.#carried = text.slice(kept);
    return findings;
  }

  /** Editors of Windows write UTF-16, with a byte order mark (Unicode 16.0, section 23.8). Everything else is read byte by byte. */
  #chooseDecoder([first, second]: Uint8Array): Decode {
    const label =
      first === 0xff && second === 0xfe
        ? 'utf-16le'
        : first === 0xfe && second === 0xff
          ? 'utf-16be'
          : undefined;
    if (label === undefined) {
      return (chunk) => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    }
    this.#isUtf16 = true;
    const decoder = new TextDecoder(label);
    return (chunk) => decoder.decode(chunk, { stream: true });
  }

  /** Counts lines and characters from one index to another. */
  #pass(text: string, from: number, to: number): void {
    for (let index = from; index < to; index += 1) {
      const code = text.charCodeAt(index);
      if (code === newline) {
        this.#line += 1;
        this.#charactersBefore = 0;
      } else if (this.#isUtf16 || !isContinuation(code)) {
        this.#charactersBefore += 1;
      }
    }
  }
}

/** True for a byte that continues a character of UTF-8 (RFC 3629 section 3). */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
