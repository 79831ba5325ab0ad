import { canPrompt, type Terminal, wantsColor, widthOf } from '../terminal/terminal.ts';
import { printable, printableJson } from './printable.ts';
import { relativeTime } from './relative-time.ts';
import { type Column, formatTable } from './table.ts';

/** The output flags of a command. */
export interface OutputFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Formats values for people. */
export interface Format {
  /** On a terminal as a relative time, elsewhere unchanged; `never` for null. */
  time(timestamp: string | null): string;
}

/** How items of one kind are shown. The printer escapes control characters in the cells. */
export interface View<Item> {
  /** What `--quiet` prints. */
  id(item: Item): string;
  /** Columns of a list. */
  readonly columns: readonly ViewColumn<Item>[];
  /** Lines of a single item: label and value; a line with an undefined value is left out. */
  details(item: Item, format: Format): readonly (readonly [label: string, value: string | undefined])[];
}

interface ViewColumn<Item> extends Column {
  cell(item: Item, format: Format): string;
  /** The colour of its cell on a terminal. Absent: none. */
  tone?(item: Item): Tone;
}

/** The meaning of a colour. */
export type Tone = 'good' | 'bad' | 'warning' | 'faint';

/** A part of a list, and whether there is more. */
export interface Portion<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

/** Writes data to stdout in the requested form, and notes to stderr. */
export class Printer {
  readonly #terminal: Terminal;
  readonly #flags: OutputFlags;

  constructor(terminal: Terminal, flags: OutputFlags) {
    this.#terminal = terminal;
    this.#flags = flags;
  }

  /** True for JSON and bare ids, to which no notes for people are added. */
  get isForScript(): boolean {
    return this.#flags.json === true || this.#flags.quiet === true;
  }

  /** Writes a line for people to stderr. */
  note(text: string): void {
    this.#terminal.stderr.write(`${printable(text)}\n`);
  }

  /** Writes data unchanged. */
  raw(text: string): void {
    this.#terminal.stdout.write(text);
  }

  /** Writes one value as JSON. */
  json(value: unknown): void {
    this.raw(`${printableJson(value, 2)}\n`);
  }

  /** Writes one item. */
  one<Item>(item: Item, view: View<Item>): void {
    if (this.#flags.json) this.json(item);
    else if (this.#flags.quiet) this.raw(`${printable(view.id(item))}\n`);
    else this.raw(formatDetails(view.details(item, this.#format())));
  }

  /** Writes a value that is not an item of the service, such as a summary: its JSON, its `--quiet` text, or its lines. */
  summary(value: unknown, quiet: string, lines: readonly (readonly [string, string | undefined])[]): void {
    if (this.#flags.json) this.json(value);
    else if (this.#flags.quiet) this.raw(`${printable(quiet)}\n`);
    else this.raw(formatDetails(lines));
  }

  /**
   * Writes a list, each portion as it arrives, so that lists of any length fit into memory. Returns how many items there
   * were and whether there are more. Stops early when stdout is closed.
   */
  async list<Item>(
    portions: AsyncIterable<Portion<Item>>,
    view: View<Item>,
  ): Promise<{ readonly count: number; readonly hasMore: boolean }> {
    let count = 0;
    let hasMore = false;
    for await (const portion of portions) {
      await this.#portion(portion.items, view, count);
      count += portion.items.length;
      hasMore = portion.hasMore;
      this.#progress(count);
      if (!this.#terminal.isOutputClosed()) continue;
      // If stdout is closed, a hint about further items is useless.
      hasMore = false;
      break;
    }
    if (this.#flags.json) this.raw(count === 0 ? '[]\n' : '\n]\n');
    this.#progress(undefined);
    return { count, hasMore };
  }

  async #portion<Item>(items: readonly Item[], view: View<Item>, before: number): Promise<void> {
    if (items.length === 0) return;
    if (this.#flags.json) {
      const texts = items.map((item) => printableJson(item, 2).replaceAll('\n', '\n  '));
      this.raw(`${before === 0 ? '[' : ','}\n  ${texts.join(',\n  ')}`);
    } else if (this.#flags.quiet) {
      this.raw(items.map((item) => `${printable(view.id(item))}\n`).join(''));
    } else {
      const { stdout, env } = this.#terminal;
      const format = this.#format();
      const { createColors } = (await import('picocolors')).default;
      const colors = createColors(wantsColor(stdout, env));
      const tones = { good: colors.green, bad: colors.red, warning: colors.yellow, faint: colors.dim };
      const table = await formatTable({
        columns: view.columns,
        rows: items.map((item) => view.columns.map(({ cell }) => printable(cell(item, format)))),
        width: widthOf(stdout),
        hasHead: before === 0,
        decorateHead: colors.dim,
        decorateCell: (text, row, column) => {
          const item = items[row];
          const tone = item === undefined ? undefined : view.columns[column]?.tone?.(item);
          return tone === undefined ? text : tones[tone](text);
        },
      });
      this.raw(table);
    }
  }

  /** Shows progress on stderr while the data goes to a file or a pipe; undefined ends it. */
  #progress(count: number | undefined): void {
    const { stdout, stderr } = this.#terminal;
    if (stdout.isTTY === true || !canPrompt(this.#terminal)) return;
    stderr.write(count === undefined ? '\r\x1b[K' : `\r${count.toLocaleString('en-US')} so far …\x1b[K`);
  }

  #format(): Format {
    const { stdout } = this.#terminal;
    const now = this.#terminal.now();
    return {
      time(timestamp) {
        if (timestamp === null) return 'never';
        return stdout.isTTY === true ? relativeTime(timestamp, now) : timestamp;
      },
    };
  }
}

function formatDetails(lines: readonly (readonly [string, string | undefined])[]): string {
  const shown = lines.filter((line): line is readonly [string, string] => line[1] !== undefined);
  const width = Math.max(0, ...shown.map(([label]) => label.length));
  return shown.map(([label, value]) => `${label.padEnd(width)}  ${printable(value)}\n`).join('');
}
