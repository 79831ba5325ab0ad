import { numberOf } from '@muster/contract';
import { spellCommands } from '../own-command.ts';
import { canPrompt, type Terminal, widthOf } from '../terminal/terminal.ts';
import { printable, printableJson } from './printable.ts';
import { ageOf, relativeTime } from './relative-time.ts';
import { shortID } from './short-id.ts';
import { type Column, formatTable } from './table.ts';
import { createTones, type Tone } from './tones.ts';

/** The output flags of a command. */
export interface OutputFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** Whole ids and texts on a terminal too. */
  readonly wide?: boolean;
}

/** Formats values for people. */
export interface Format {
  /** In milliseconds since 1970. */
  readonly now: number;
  /** On a terminal as a relative time, elsewhere unchanged; `never` for null. */
  time(timestamp: string | null): string;
  /** On a terminal, the time since then without `ago`: `3 h`; elsewhere unchanged. */
  age(timestamp: string): string;
  /** On a terminal in its short form, unless `--wide` is given. */
  id(id: string): string;
  /** On a terminal without what matches at its beginning, so that more of the rest fits, unless `--wide` is given. */
  withoutPrefix(text: string, prefix: RegExp): string;
  /** With each `muster …` in it as the person can type it. */
  withCommands(text: string): string;
}

/** How items of one kind are shown. The printer escapes control characters in the cells. */
export interface View<Item> {
  /** What `--quiet` prints. */
  id(item: Item): string;
  /** Columns of a list. */
  readonly columns: readonly ViewColumn<Item>[];
  /** Lines of a single item: label and value; a line with an undefined value is left out. */
  details(item: Item, format: Format): readonly DetailLine[];
}

/** A line of a single item. */
export type DetailLine = readonly [label: string, value: string | undefined, tone?: Tone | undefined];

interface ViewColumn<Item> extends Column {
  cell(item: Item, format: Format): string;
  /** The colour of its cell on a terminal. Absent or undefined: none. */
  tone?(item: Item, format: Format): Tone | undefined;
  /** Left out when no item has a value. */
  readonly isOptional?: boolean;
}

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
    this.#terminal.stderr.write(`${printable(spellCommands(text, this.#terminal))}\n`);
  }

  /** A time in the form that it has in what is printed beside it. */
  time(timestamp: string | null): string {
    return this.#format().time(timestamp);
  }

  /** Says that a secret on stdout is not shown again. Not of `--quiet`, whose reader keeps it by taking it. */
  shownOnce(thing: string): void {
    if (this.#flags.quiet !== true) this.note(`The ${thing} is shown once: keep it now.`);
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
    else this.#details(view.details(item, this.#format()));
  }

  /** Writes a value that is not an item of the service, such as a summary: its JSON, its `--quiet` text, or its lines. */
  summary(value: unknown, quiet: string, lines: readonly DetailLine[]): void {
    if (this.#flags.json) this.json(value);
    else if (this.#flags.quiet) this.raw(`${printable(quiet)}\n`);
    else this.#details(lines);
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
      await this.#portion(portion.items, view, count, count === 0 && !portion.hasMore);
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

  /** @param isAlone true if the list has no other portion */
  async #portion<Item>(
    items: readonly Item[],
    view: View<Item>,
    before: number,
    isAlone: boolean,
  ): Promise<void> {
    if (items.length === 0) return;
    if (this.#flags.json) {
      const texts = items.map((item) => printableJson(item, 2).replaceAll('\n', '\n  '));
      this.raw(`${before === 0 ? '[' : ','}\n  ${texts.join(',\n  ')}`);
    } else if (this.#flags.quiet) {
      this.raw(items.map((item) => `${printable(view.id(item))}\n`).join(''));
    } else {
      const format = this.#format();
      const tones = createTones(this.#terminal);
      const isShown = ({ cell, isOptional }: ViewColumn<Item>): boolean =>
        isOptional !== true || !isAlone || items.some((item) => cell(item, format) !== '');
      const columns = view.columns.filter(isShown);
      const table = await formatTable({
        columns,
        rows: items.map((item) => columns.map(({ cell }) => printable(cell(item, format)))),
        width: this.#flags.wide === true ? undefined : widthOf(this.#terminal.stdout),
        hasHead: before === 0,
        decorateHead: tones.faint,
        decorateCell: (text, row, column) => {
          const item = items[row];
          const tone = item === undefined ? undefined : columns[column]?.tone?.(item, format);
          return tone === undefined ? text : tones[tone](text);
        },
      });
      this.raw(table);
    }
  }

  /** Writes a list that is not paged. */
  async all<Item>(items: readonly Item[], view: View<Item>): Promise<void> {
    await this.list(onePortion(items), view);
  }

  /** Shows progress on stderr while the data goes to a file or a pipe; undefined ends it. */
  #progress(count: number | undefined): void {
    const { stdout, stderr } = this.#terminal;
    if (stdout.isTTY === true || !canPrompt(this.#terminal)) return;
    stderr.write(count === undefined ? '\r\x1b[K' : `\r${numberOf(count)} so far …\x1b[K`);
  }

  #format(): Format {
    const isTTY = this.#terminal.stdout.isTTY === true;
    const isShort = isTTY && this.#flags.wide !== true;
    const now = this.#terminal.now();
    return {
      now,
      time(timestamp) {
        if (timestamp === null) return 'never';
        return isTTY ? relativeTime(timestamp, now) : timestamp;
      },
      age: (timestamp) => (isTTY ? ageOf(timestamp, now) : timestamp),
      id: (id) => (isShort ? shortID(id) : id),
      withoutPrefix: (text, prefix) => (isShort && text.replace(prefix, '')) || text,
      withCommands: (text) => spellCommands(text, this.#terminal),
    };
  }

  #details(lines: readonly DetailLine[]): void {
    const tones = createTones(this.#terminal);
    const width = Math.max(0, ...lines.map(([label, value]) => (value === undefined ? 0 : label.length)));
    for (const [label, value, tone] of lines) {
      if (value === undefined) continue;
      const text = printable(value);
      this.raw(`${label.padEnd(width)}  ${tone === undefined ? text : tones[tone](text)}\n`);
    }
  }
}

async function* onePortion<Item>(items: readonly Item[]): AsyncGenerator<Portion<Item>> {
  yield { items, hasMore: false };
}
