import { join } from 'node:path';
import { type Position, startPosition } from '../spool/spool.ts';
import { readText, replaceDurably } from './durable-file.ts';

/** What the centre has. */
export interface Progress {
  /** To which everything in the state folder belongs. Null: none was joined yet. */
  readonly projectID: string | null;
  /** The newest number that a batch was given, whether the centre has it or not. */
  readonly sequence: number;
  /** Of that batch, the same in every attempt to send it. Null: there was none. */
  readonly batchID: string | null;
  readonly acknowledged: Position;
  /** End of that batch, if it may have arrived. */
  readonly sentUpTo: Position | null;
  readonly lostCount: number;
  readonly lastLossAt: number | null;
  /** Items that the centre has refused. */
  readonly refusedCount: number;
}

export const noProgress: Progress = {
  projectID: null,
  sequence: 0,
  batchID: null,
  acknowledged: startPosition,
  sentUpTo: null,
  lostCount: 0,
  lastLossAt: null,
  refusedCount: 0,
};

/** The progress of the forwarding in the state folder. */
export class ProgressFile {
  readonly #path: string;
  #progress: Progress;

  private constructor(path: string, progress: Progress) {
    this.#path = path;
    this.#progress = progress;
  }

  /** @param onDamage called if the file cannot be read: what waits is then sent from the start, and some of it again. */
  static async open(folder: string, onDamage: (path: string) => void): Promise<ProgressFile> {
    const path = join(folder, 'progress.json');
    const text = await readText(path);
    const read = text === undefined ? noProgress : parse(text);
    if (read === undefined) onDamage(path);
    return new ProgressFile(path, read ?? noProgress);
  }

  get progress(): Progress {
    return this.#progress;
  }

  /** Resolves when it is on the disk. */
  async write(changes: Partial<Progress>): Promise<void> {
    const progress = { ...this.#progress, ...changes };
    await replaceDurably(this.#path, `${JSON.stringify(progress)}\n`);
    this.#progress = progress;
  }
}

function parse(text: string): Progress | undefined {
  try {
    const read = JSON.parse(text) as Partial<Progress> | null; // checked below
    const { sequence, acknowledged } = read ?? {};
    const isWhole =
      Number.isSafeInteger(sequence) &&
      Number.isSafeInteger(acknowledged?.segment) &&
      Number.isSafeInteger(acknowledged?.offset);
    return isWhole ? { ...noProgress, ...read } : undefined;
  } catch {
    return undefined;
  }
}
