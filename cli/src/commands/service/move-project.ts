import { randomUUID } from 'node:crypto';
import {
  beginArrival,
  type Client,
  type DepartProject,
  type Departure,
  departProject,
  finishArrival,
  MusterError,
  readDepartingRows,
  writeArrivingRows,
} from '@muster/client';

interface Place {
  readonly client: Client;
  /** Where agents reach it. */
  readonly url: string;
}

export interface MoveOptions {
  readonly source: Place;
  readonly target: Place;
  readonly projectID: string;
  /** Where it has left for, of an installation that is lost. */
  readonly insteadOf?: string | undefined;
  readonly onProgress?: (progress: MoveProgress) => void;
  /** Waits between two requests. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

interface MoveProgress {
  /** `copy`: the project still works at the source. `freeze`: it takes nothing. */
  readonly phase: 'copy' | 'freeze';
  readonly table: string;
  readonly rows: number;
}

export interface MoveReport {
  /** False: an earlier run had finished, and nothing was left to do. */
  readonly isMoved: boolean;
  readonly name: string;
  readonly tables: readonly MovedTable[];
  readonly frozenSeconds: number;
}

interface MovedTable {
  readonly table: string;
  readonly rows: number;
}

type Key = (string | number)[] | null;

/** Changes of the service itself, such as what retention removes, are over after few of them. */
const maxPasses = 12;
const maxServedPasses = 4;
/** Number of pages that are copied in a moment. */
const fewPages = 20;

/**
 * Moves a project between two running installations. It can be killed at any moment: the next run finds what both sides have, and goes on.
 *
 * The source gives the project up before the target takes it, so that no moment has two of them. In between, each answers that it is moving or has moved.
 */
export async function moveProject(options: MoveOptions): Promise<MoveReport> {
  const move = new Move(options);
  return move.run();
}

class Move {
  readonly #options: MoveOptions;
  readonly #runID = randomUUID();
  readonly #rows = new Map<string, number>();
  #publicKey: string | null = null;

  constructor(options: MoveOptions) {
    this.#options = options;
  }

  async run(): Promise<MoveReport> {
    const { source, target, projectID } = this.#options;
    const begun = await this.#depart('begin');
    const { name, version, migrations } = begun;
    const arrival = await beginArrival(target.client, {
      body: { projectID, name, runID: this.#runID, sourceURL: source.url, version, migrations },
    });
    if (arrival.state === 'arrived') {
      if (begun.state === 'moved') return { isMoved: false, name, tables: [], frozenSeconds: 0 };
      throw new Error(
        `The project is at ${target.url} already, and also at ${source.url}. Nothing was changed. It came from another installation, or was moved before the database of ${source.url} was restored: decide which one is right, and delete the project at the other one.`,
      );
    }
    this.#publicKey = arrival.publicKey;
    await this.#depart('copy');
    if (begun.state === 'here') await this.#copyWhileServed(begun);
    const frozenAt = performance.now();
    const { lastEvent } = begun.state === 'moved' ? await this.#leaveAgain(begun) : await this.#leave(begun);
    await finishArrival(target.client, { projectID, body: { runID: this.#runID, lastEvent } });
    return {
      isMoved: true,
      name,
      tables: begun.tables.map((table) => ({ table: table.name, rows: this.#rows.get(table.name) ?? 0 })),
      frozenSeconds: (performance.now() - frozenAt) / 1_000,
    };
  }

  /** Again, if it took so long that much may have come since. */
  async #copyWhileServed(departure: Departure): Promise<void> {
    for (let pass = 0; pass < maxServedPasses; pass += 1) {
      if ((await this.#pass(departure, 'copy')) < fewPages) return;
    }
  }

  /** Freezes the project, copies what has changed, compares everything, and lets it leave. */
  async #leave(departure: Departure): Promise<Departure> {
    const { wait = sleep } = this.#options;
    try {
      let { settledInMilliseconds: left } = await this.#depart('freeze');
      await this.#copyRest(departure);
      if (left > 0) {
        await wait(left);
        ({ settledInMilliseconds: left } = await this.#depart('freeze'));
        if (left > 0) await wait(left);
        await this.#copyRest(departure);
      }
      return await this.#depart('leave');
    } catch (cause) {
      // If it has left after all, this changes nothing.
      await this.#depart('thaw').catch(() => undefined);
      throw cause;
    }
  }

  /** It has left before, and not arrived. */
  async #leaveAgain(departure: Departure): Promise<Departure> {
    await this.#copyRest(departure);
    // Unless another run has sent it elsewhere.
    return this.#depart('leave');
  }

  /** Repeats until both sides are equal in every table. */
  async #copyRest(departure: Departure): Promise<void> {
    for (let pass = 0; pass < maxPasses; pass += 1) {
      if ((await this.#pass(departure, 'freeze')) === 0) return;
    }
    throw new Error(
      'The rows of the project still change at the source, although it takes nothing. Run the same command again.',
    );
  }

  /** Compares all pages of all tables, and writes those that differ. Returns how many. */
  async #pass({ tables }: Departure, phase: MoveProgress['phase']): Promise<number> {
    let written = 0;
    for (const { name, isReplaced } of tables) {
      const differing = await this.#compare(name, phase);
      // All of them first: a name or an open error may have gone from one page to another.
      if (isReplaced)
        for (const { after, through, count } of differing)
          if (count > 0) await this.#write(name, { after, through, columns: undefined, rows: [] });
      for (const { after } of differing) await this.#copyPage(name, after, phase);
      written += differing.length;
    }
    return written;
  }

  async #compare(table: string, phase: MoveProgress['phase']): Promise<Difference[]> {
    const { source, projectID, onProgress = () => undefined } = this.#options;
    const differing: Difference[] = [];
    let rows = 0;
    for (let after: Key = null; ; ) {
      const page = await readDepartingRows(source.client, {
        projectID,
        body: { table, after, withRows: false },
      });
      const through: Key = page.last === null ? null : [...page.last];
      const there = await this.#write(table, { after, through, columns: undefined, rows: undefined });
      if (there.rowsCount !== page.rowsCount || there.digest !== page.digest)
        differing.push({ after, through, count: there.rowsCount });
      rows += page.rowsCount;
      onProgress({ phase, table, rows });
      if (through === null) break;
      after = through;
    }
    this.#rows.set(table, rows);
    return differing;
  }

  async #copyPage(table: string, after: Key, phase: MoveProgress['phase']): Promise<void> {
    const { source, projectID } = this.#options;
    const page = await readDepartingRows(source.client, {
      projectID,
      body: { table, after, publicKey: this.#publicKey },
    });
    const through = page.last === null ? null : [...page.last];
    try {
      await this.#write(table, {
        after,
        through,
        columns: [...page.columns],
        rows: page.rows.map((row) => [...row]),
      });
    } catch (error) {
      // While the project works, a row may come before the row that it belongs to, which is in a page that was read earlier.
      const isEarly =
        phase === 'copy' && error instanceof MusterError && error.code === 'project_page_refused';
      if (!isEarly) throw error;
    }
  }

  async #write(table: string, { after, through, columns, rows }: Written) {
    const { target, projectID } = this.#options;
    return writeArrivingRows(target.client, {
      projectID,
      body: { runID: this.#runID, table, after, through, ...(columns && { columns }), ...(rows && { rows }) },
    });
  }

  async #depart(step: DepartProject['step']): Promise<Departure> {
    const { source, target, projectID, insteadOf } = this.#options;
    return departProject(source.client, {
      projectID,
      body: {
        ...{ step, runID: this.#runID, targetURL: target.url, publicKey: this.#publicKey },
        ...(insteadOf !== undefined && { insteadOf }),
      },
    });
  }
}

interface Range {
  readonly after: Key;
  readonly through: Key;
}

interface Difference extends Range {
  /** Number of rows in the target. */
  readonly count: number;
}

interface Written extends Range {
  readonly columns: string[] | undefined;
  readonly rows: Parameters<typeof writeArrivingRows>[1]['body']['rows'];
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
