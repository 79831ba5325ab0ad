import type { TextOutput } from '../../terminal/terminal.ts';

/** Shows on a terminal how far a backup or a restore is, in one line that changes. Elsewhere it prints nothing. */
export class BackupProgressLine {
  readonly #output: TextOutput | undefined;
  #isLineOpen = false;

  constructor(output: TextOutput | undefined) {
    this.#output = output?.isTTY === true ? output : undefined;
  }

  /** @param share from 0 to 1; undefined if it is not known */
  show(what: string, share?: number | undefined): void {
    const text = share === undefined ? what : `${what}: ${Math.floor(share * 100)}%`;
    this.#output?.write(`\r${text.slice(0, 79)}\x1b[K`);
    this.#isLineOpen = true;
  }

  end(): void {
    if (this.#isLineOpen) this.#output?.write('\r\x1b[K');
    this.#isLineOpen = false;
  }
}
