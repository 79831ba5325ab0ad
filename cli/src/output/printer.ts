import { canPrompt, type Terminal, wantsColor, widthOf } from '../terminal/terminal.ts';
import { printable, printableJson } from './printable.ts';
import { relativeTime } from './relative-time.ts';
import { type Column, formatTable } from './table.ts';

/** How a command was asked to print. */
export interface OutputFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** How values look where a person reads them. */
export interface Format {
  /** On a terminal how long ago, elsewhere as it is; `never` for null. */
  time(timestamp: string | null): string;
}

/** How things of one kind are shown. What cells answer is made safe for a terminal afterwards. */
export interface View<Item> {
  /** What `--quiet` prints. */
  id(item: Item): string;
  /** Columns of a list. */
  readonly columns: readonly ViewColumn<Item>[];
  /** Lines of one thing: label and value; no line where the value is undefined. */
  details(item: Item, format: Format): readonly (readonly [label: string, value: string | undefined])[];
}

interface ViewColumn<Item> extends Column {
  cell(item: Item, format: Format): string;
}

/** A part of a list, and whether more could be asked for. */
export interface Portion<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

/** Writes data to stdout in the form that was asked for, and notes to stderr. */
export class Printer {
  readonly #terminal: Terminal;
  readonly #flags: OutputFlags;

  constructor(terminal: Terminal, flags: OutputFlags) {
    this.#terminal = terminal;
    this.#flags = flags;
  }

  /** True where JSON or bare ids are wanted, so that remarks for a person would be in the way. */
  get isForScript(): boolean {
    return this.#flags.json === true || this.#flags.quiet === true;
  }

  /** A line on stderr, for a person. */
  note(text: string): void {
    this.#terminal.stderr.write(`${printable(text)}\n`);
  }

  /** Lines of data as they are. */
  raw(text: string): void {
    this.#terminal.stdout.write(text);
  }

  /** One value as JSON. */
  json(value: unknown): void {
    this.raw(`${printableJson(value, 2)}\n`);
  }

  /** One thing. */
  one<Item>(item: Item, view: View<Item>): void {
    if (this.#flags.json) this.json(item);
    else if (this.#flags.quiet) this.raw(`${printable(view.id(item))}\n`);
    else this.raw(formatDetails(view.details(item, this.#format())));
  }

  /** What is not one thing of the service, such as a summary: its JSON, what `--quiet` prints, and its lines. */
  summary(value: unknown, quiet: string, lines: readonly (readonly [string, string | undefined])[]): void {
    if (this.#flags.json) this.json(value);
    else if (this.#flags.quiet) this.raw(`${printable(quiet)}\n`);
    else this.raw(formatDetails(lines));
  }

  /**
   * A list, each portion as soon as it is there, so that one of any length fits the memory. Answers how many there
   * were, and whether there are more. Ends early when nobody reads any more.
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
      // Nobody wants to know of more.
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
      const table = await formatTable({
        columns: view.columns,
        rows: items.map((item) => view.columns.map(({ cell }) => printable(cell(item, format)))),
        width: widthOf(stdout),
        hasHead: before === 0,
        decorateHead: colors.dim,
      });
      this.raw(table);
    }
  }

  /** Told where somebody watches and the data goes elsewhere; undefined: the end. */
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
