interface CopyState {
  readonly phase: 'copy' | 'verify';
  readonly table: string;
  readonly rows: number;
  readonly totalRows: number;
}

/** As much of a stream as is written to. */
interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const onTerminalMilliseconds = 1_000;
const inFileMilliseconds = 10_000;
const verbs = { copy: 'copying', verify: 'verifying' } as const;

/** Tells how far the copy is: on a terminal in one line that changes, elsewhere in a new line now and then. */
export class CopyProgressLine {
  readonly #output: Output | undefined;
  readonly #now: () => number;
  #shownAt = Number.NEGATIVE_INFINITY;
  #isLineOpen = false;

  /** Without an output it tells nothing. */
  constructor(output: Output | undefined, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
  }

  begin(source: string): void {
    this.#output?.write(
      `Copying the installation in ${source}. Stopping it is safe: the same command goes on where it was.\n`,
    );
  }

  show({ phase, table, rows, totalRows }: CopyState): void {
    const output = this.#output;
    const interval = output?.isTTY ? onTerminalMilliseconds : inFileMilliseconds;
    if (output === undefined || this.#now() - this.#shownAt < interval) return;
    this.#shownAt = this.#now();
    const text = `${verbs[phase]} ${table}: ${rows.toLocaleString('en-US')} of ${totalRows.toLocaleString('en-US')} rows`;
    // Cut to one line: a carriage return leads back no further. "\x1b[K" clears what a longer text has left.
    output.write(output.isTTY ? `\r${text.slice(0, widthOf(output) - 1)}\x1b[K` : `${text}\n`);
    this.#isLineOpen = output.isTTY === true;
  }

  end(): void {
    if (this.#isLineOpen) this.#output?.write('\r\x1b[K');
    this.#isLineOpen = false;
  }
}

/** Some terminals tell no width, or one of 0. */
function widthOf({ columns = 0 }: Output): number {
  return columns > 0 ? columns : 80;
}
