/** What differs from run to run and from machine to machine, and what docs/first-minutes.md has in its place. */
export interface Surroundings {
  readonly folder: string;
  readonly home: string;
  readonly url: string;
}

const token = /eyJ[\w-]+\.mst_p_\w+/g;
const signInLink = /mst_l_\w+/g;
const endOfLink = /(?<=, until )\d\d:\d\d(?= UTC)/g;
const id = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const clock = /^\[\d\d:\d\d:\d\d\]/gm;
/** On a terminal, an id is shown by its last 8 digits. */
const shortID = /(?<![\w-])[0-9a-f]{8}(?![\w-])/g;
const shortLength = 8;
/** A row of a table, or a line that says when something happened. */
const lineWithAge = /^(?:[0-9a-f]{8} |(?:since|last seen) ).*$/gm;
const age = /(?<= )(?:now|\d+ (?:s|min)(?: ago)?)(?: +|$)/g;
/** A history begins a new bar every minute. */
const history = /^(history +\|).*(\| last [^,]+, up to )\d+/gm;
const historyBars = `${' '.repeat(29)}█`;

/** Only said within a minute of the last report, which on a busy machine is over. */
const stillReported = /^It is still reported, .*\n/gm;

/** Puts fixed values of the same form in the place of those; ids are numbered as they first appear, and all that happened is of now. */
export class StandIns {
  readonly #ids = new Map<string, string>();
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  replaceIn(screen: string): string {
    const { folder, home, url } = this.#surroundings;
    return screen
      .replaceAll(stillReported, '')
      .replaceAll(url, 'http://127.0.0.1:7400')
      .replaceAll(home, '/home/you')
      .replaceAll(folder, '/home/you/muster')
      .replaceAll(token, 'eyJ….mst_p_…')
      .replaceAll(signInLink, 'mst_l_…')
      .replaceAll(endOfLink, '10:30')
      .replaceAll(history, (_, start: string, end: string) => `${start}${historyBars}${end}3`)
      .replaceAll(lineWithAge, (line) => line.replaceAll(age, (found) => 'now'.padEnd(lengthOf(found))))
      .replaceAll(id, (found) => this.#standInFor(found))
      .replaceAll(shortID, (found) => this.#standInFor(found).slice(-shortLength))
      .replaceAll(time, '2026-11-21T09:30:00.000Z')
      .replaceAll(clock, '[09:30:00]');
  }

  #standInFor(found: string): string {
    const number = String(this.#ids.size + 1).padStart(12, '0');
    const short = found.slice(-shortLength);
    const standIn = this.#ids.get(short) ?? `01a1fc9f-0000-7000-8000-${number}`;
    this.#ids.set(short, standIn);
    return standIn;
  }
}

/** At the end of a line, nothing stands in for the spaces. */
function lengthOf(found: string): number {
  return found.endsWith(' ') ? found.length : 0;
}
