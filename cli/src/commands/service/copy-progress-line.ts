interface CopyState {
  readonly phase: 'copy' | 'verify';
  readonly table: string;
  readonly rows: number;
  readonly totalRows: number;
}

interface MoveState {
  /** `freeze`: the project takes nothing. */
  readonly phase: 'copy' | 'freeze';
  readonly table: string;
  readonly rows: number;
}

/** The part of an output stream that is used. */
interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const onTerminalMilliseconds = 1_000;
const inFileMilliseconds = 10_000;
const verbs = { copy: 'copying', verify: 'verifying' } as const;

/** Shows the progress of the copy: on a terminal in one line that changes, elsewhere occasionally in a new line. */
export class CopyProgressLine {
  readonly #output: Output | undefined;
  readonly #now: () => number;
  #shownAt = Number.NEGATIVE_INFINITY;
  #isLineOpen = false;

  /** Without an output it prints nothing. */
  constructor(output: Output | undefined, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
  }

  begin(source: string): void {
    this.#output?.write(
      `Copying the installation in ${source}. You can stop it safely: run the same command again to continue.\n`,
    );
  }

  show({ phase, table, rows, totalRows }: CopyState): void {
    this.#showText(
      `${verbs[phase]} ${table}: ${rows.toLocaleString('en-US')} of ${totalRows.toLocaleString('en-US')} rows`,
    );
  }

  showMove({ phase, table, rows }: MoveState): void {
    const verb = phase === 'copy' ? 'comparing and copying' : 'frozen, comparing';
    this.#showText(`${verb} ${table}: ${rows.toLocaleString('en-US')} rows`);
  }

  end(): void {
    if (this.#isLineOpen) this.#output?.write('\r\x1b[K');
    this.#isLineOpen = false;
  }

  #showText(text: string): void {
    const output = this.#output;
    const interval = output?.isTTY ? onTerminalMilliseconds : inFileMilliseconds;
    if (output === undefined || this.#now() - this.#shownAt < interval) return;
    this.#shownAt = this.#now();
    // Cut to one line, because a carriage return goes back to the start of the last line only. "\x1b[K" clears the rest of a longer text.
    output.write(output.isTTY ? `\r${text.slice(0, widthOf(output) - 1)}\x1b[K` : `${text}\n`);
    this.#isLineOpen = output.isTTY === true;
  }
}

/** Some terminals report no width, or a width of 0. */
function widthOf({ columns = 0 }: Output): number {
  return columns > 0 ? columns : 80;
}
