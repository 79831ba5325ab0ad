/** Where the lines go: a terminal, or anything else. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const barWidth = 16;
const redrawMilliseconds = 100;
const plainMilliseconds = 5_000;

/** Tells how far the demo is: a bar that moves on a terminal, else a line now and then. */
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

  /** @param share from 0 to 1 */
  progress(title: string, share: number, text: string): void {
    const now = Date.now();
    if (now - this.#lastDrawn < (this.#isLive ? redrawMilliseconds : plainMilliseconds)) return;
    this.#lastDrawn = now;
    if (!this.#isLive) {
      this.#screen.write(`${title}: ${text}\n`);
      return;
    }
    const filled = Math.round(Math.min(1, share) * barWidth);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`;
    // One less than the width: some terminals wrap at the last column already.
    const fitting = `${title.padEnd(12)} ${bar} ${text}`.slice(0, (this.#screen.columns ?? 80) - 1);
    this.#screen.write(`\r\u001b[2K${fitting}`);
    this.#hasBar = true;
  }

  /** Ends the bar with what came of it. */
  done(title: string, text: string): void {
    this.line(`${title.padEnd(12)} ${text}`);
    this.#awaitNext();
  }

  /** The next phase says something at once on a terminal, and after its first seconds elsewhere. */
  #awaitNext(): void {
    this.#lastDrawn = this.#isLive ? 0 : Date.now();
  }

  /** Makes room for what others write. */
  clearBar(): void {
    if (this.#hasBar) this.#screen.write('\r\u001b[2K');
    this.#hasBar = false;
  }
}

const numbers = new Intl.NumberFormat('en-US');

/** 1234567 reads 1,234,567. */
export function formatCount(count: number): string {
  return numbers.format(count);
}

/** 1 agent, 2 agents. */
export function countOf(count: number, one: string): string {
  return `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;
}
