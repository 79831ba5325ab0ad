/** The output: a terminal, a file or a pipe. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const barWidth = 16;
const redrawMilliseconds = 100;
const plainMilliseconds = 5_000;

/** Shows progress: a moving bar on a terminal, elsewhere an occasional line. */
export class Display {
  readonly #screen: Screen;
  readonly #isLive: boolean;
  #lastDrawn = 0;
  #hasBar = false;

  constructor(screen: Screen, env: Readonly<Record<string, string | undefined>>) {
    this.#screen = screen;
    this.#isLive = screen.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
    this.#awaitNext();
  }

  line(text = ''): void {
    this.clearBar();
    this.#screen.write(`${text}\n`);
  }

  /** @param share from 0 to 1; undefined if the end is not known */
  progress(title: string, share: number | undefined, text: string): void {
    const now = Date.now();
    if (now - this.#lastDrawn < (this.#isLive ? redrawMilliseconds : plainMilliseconds)) return;
    this.#lastDrawn = now;
    if (!this.#isLive) {
      this.#screen.write(`${title}: ${text}\n`);
      return;
    }
    // One less than the width, because some terminals wrap at the last column.
    const fitting = `${title.padEnd(12)} ${drawBar(share)}${text}`.slice(0, (this.#screen.columns ?? 80) - 1);
    this.#screen.write(`\r\u001b[2K${fitting}`);
    this.#hasBar = true;
  }

  /** Replaces the bar by its result. */
  done(title: string, text: string): void {
    this.line(`${title.padEnd(12)} ${text}`);
    this.#awaitNext();
  }

  /** A new phase is shown at once on a terminal, elsewhere after its first seconds. */
  #awaitNext(): void {
    this.#lastDrawn = this.#isLive ? 0 : Date.now();
  }

  /** Clears the bar before other output. */
  clearBar(): void {
    if (this.#hasBar) this.#screen.write('\r\u001b[2K');
    this.#hasBar = false;
  }
}

function drawBar(share: number | undefined): string {
  if (share === undefined) return '';
  const filled = Math.round(Math.min(1, share) * barWidth);
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} `;
}

const numbers = new Intl.NumberFormat('en-US');

/** Formats 1234567 as 1,234,567. */
export function formatCount(count: number): string {
  return numbers.format(count);
}

/** 1 agent, 2 agents. */
export function countOf(count: number, one: string): string {
  return `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;
}

/** The end of an id, by which commands find it. */
export function shortID(id: string): string {
  return id.slice(-8);
}
