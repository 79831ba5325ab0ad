import type { CacheFigures } from '../../foundation/cache-figures.ts';
import { timeOfID } from '../../foundation/clock.ts';
import { idWords, readID, writeID } from '../../foundation/packed/id-words.ts';
import { NumberedTexts } from '../../foundation/packed/numbered-texts.ts';
import { PackedOrder } from '../../foundation/packed/packed-order.ts';
import { PackedTable } from '../../foundation/packed/packed-table.ts';
import type { RandomBytes } from '../../foundation/secret.ts';
import type { AcceptedReport, Report, StoreReports } from '../report.ts';
import { digestWords, type TextDigest, TextDigests } from './text-digests.ts';

/** An open error of the agent's current configuration: a report with the same text is ignored. */
export interface KnownOpenError {
  readonly id: string;
  /** Milliseconds. */
  readonly createdAt: number;
}

interface KnownOpenErrorsOptions {
  readonly randomBytes: RandomBytes;
  readonly maxErrors?: number;
  readonly maxProjects?: number;
}

/** What was forgotten since the batch was sent, which may have read what was true before. */
interface BatchUnderWay {
  readonly forgotten: Set<string>;
  hasForgottenAll: boolean;
}

/** About 46 bytes each, and 42 for each agent, however long their texts are. */
const usualMaxErrors = 200_000;
const usualMaxProjects = 10_000;

const seedBytes = 4;

/** Words of an agent's record, after its id. */
const projectWord = idWords;
/** One more than the number of the latest error; 0: none. */
const errorWord = idWords + 1;
const orderWord = idWords + 2;
/** Words of an error's record, after its key: the number of its agent's record, and the digest of its text. */
const errorKeyWords = 1 + digestWords;
const idWord = errorKeyWords;
/** One more than the number of the agent's error before this one; 0: none. */
const nextWord = errorKeyWords + idWords;

/**
 * Remembers open errors in the only process that can change them. In a storm, every agent repeats open errors: these reports are answered from
 * memory, without the database.
 *
 * An error that is missing here may still be open, so the database decides. Every change that may end an open error (dismissal, another
 * configuration, deletion) must call `forget` in the same turn of the event loop in which it learns of the commit.
 *
 * Of a text, 128 bits of a SHA-256 are kept. Whoever finds two texts with the same 128 bits (2^64 attempts) can only keep an error of their own agent
 * from being stored.
 */
export class KnownOpenErrors {
  readonly #agents = new PackedTable({ keyWords: idWords, valueWords: 4 });
  /** In the order in which they last learned of an error: the first is the one to give up. */
  readonly #order = new PackedOrder(this.#agents, orderWord);
  readonly #errors: PackedTable;
  readonly #projects = new NumberedTexts();
  readonly #digests = new TextDigests();
  readonly #maxErrors: number;
  readonly #maxProjects: number;
  readonly #batches = new Set<BatchUnderWay>();
  readonly #agentKey = new Uint32Array(idWords);
  readonly #errorKey = new Uint32Array(errorKeyWords);
  readonly #id = new Uint32Array(idWords);
  #hits = 0;
  #misses = 0;

  constructor(options: KnownOpenErrorsOptions) {
    const seed = Buffer.from(options.randomBytes(seedBytes)).readUInt32LE();
    this.#errors = new PackedTable({ keyWords: errorKeyWords, valueWords: idWords + 1, seed });
    this.#maxErrors = options.maxErrors ?? usualMaxErrors;
    this.#maxProjects = options.maxProjects ?? usualMaxProjects;
  }

  get figures(): CacheFigures {
    return { size: this.#errors.size, limit: this.#maxErrors, hits: this.#hits, misses: this.#misses };
  }

  /** Computed once for each text that many agents report. */
  digestOf(text: string): TextDigest {
    return this.#digests.of(text);
  }

  find(agentID: string, projectID: string, text: string): KnownOpenError | undefined {
    const error = this.#find(agentID, projectID, text);
    if (error === undefined) {
      this.#misses += 1;
      return undefined;
    }
    this.#hits += 1;
    this.#errors.read(error, idWord, this.#id);
    const id = writeID(this.#id);
    return { id, createdAt: timeOfID(id) };
  }

  /** What reports of all texts are answered with; undefined if one of them is not known. */
  findAll(agentID: string, projectID: string, texts: readonly string[]): AcceptedReport[] | undefined {
    const accepted: AcceptedReport[] = [];
    for (const text of texts) {
      const error = this.find(agentID, projectID, text);
      if (error === undefined) return undefined;
      accepted.push({ kind: 'ignored', id: error.id, createdAt: error.createdAt });
    }
    return accepted;
  }

  forget(agentID: string): void {
    for (const batch of this.#batches) batch.forgotten.add(agentID);
    const agent = this.#findAgent(agentID);
    if (agent !== undefined) this.#giveUp(agent);
  }

  forgetAll(): void {
    for (const batch of this.#batches) batch.hasForgottenAll = true;
    this.#clear();
  }

  /** Remembers errors that a store finds open. Batches of the same agent must not overlap. */
  learnFrom(store: StoreReports): StoreReports {
    return async (reports) => {
      const batch: BatchUnderWay = { forgotten: new Set(), hasForgottenAll: false };
      this.#batches.add(batch);
      try {
        const outcomes = await store(reports);
        reports.forEach((report, index) => {
          const outcome = outcomes[index];
          if (batch.hasForgottenAll || batch.forgotten.has(report.agentID)) return;
          if (outcome?.kind !== 'created' && outcome?.kind !== 'ignored') return;
          // A muted error is not open. Remembered, it would outlive the mute.
          if (outcome.isMuted !== true) this.#keep(report, outcome);
        });
        return outcomes;
      } finally {
        this.#batches.delete(batch);
      }
    };
  }

  #find(agentID: string, projectID: string, text: string): number | undefined {
    const agent = this.#findAgent(agentID);
    if (agent === undefined || this.#agents.word(agent, projectWord) !== this.#projects.find(projectID)) {
      return undefined;
    }
    const error = this.#errors.find(this.#keyOf(agent, this.#digests.of(text)));
    return error < 0 ? undefined : error;
  }

  #findAgent(agentID: string): number | undefined {
    if (!readID(agentID, this.#agentKey)) return undefined;
    const agent = this.#agents.find(this.#agentKey);
    return agent < 0 ? undefined : agent;
  }

  #keyOf(agent: number, digest: TextDigest): Uint32Array {
    this.#errorKey[0] = agent;
    this.#errorKey.set(digest, 1);
    return this.#errorKey;
  }

  #keep({ agentID, projectID, error, shortDigest }: Report, { id, createdAt }: AcceptedReport): void {
    // The time is not kept: it is the one in the id.
    if (!readID(id, this.#id) || timeOfID(id) !== createdAt) return;
    const agent = this.#openAgent(agentID, projectID);
    if (agent === undefined) return;
    const key = this.#keyOf(agent, shortDigest ?? this.#digests.of(error));
    const known = this.#errors.find(key);
    this.#errors.write(known < 0 ? this.#addError(agent, key) : known, idWord, this.#id);
    this.#order.moveToEnd(agent);
    while (this.#errors.size > this.#maxErrors) this.#giveUp(this.#order.first);
  }

  /** The record of an agent, which is added if there is none; undefined where its id is none. */
  #openAgent(agentID: string, projectID: string): number | undefined {
    if (this.#projects.size >= this.#maxProjects && this.#projects.find(projectID) === undefined)
      this.#clear();
    const project = this.#projects.numberOf(projectID);
    if (!readID(agentID, this.#agentKey)) return undefined;
    const known = this.#agents.find(this.#agentKey);
    if (known >= 0) return known;
    const agent = this.#agents.add(this.#agentKey);
    this.#agents.setWord(agent, projectWord, project);
    this.#order.append(agent);
    return agent;
  }

  #addError(agent: number, key: Uint32Array): number {
    const error = this.#errors.add(key);
    this.#errors.setWord(error, nextWord, this.#agents.word(agent, errorWord));
    this.#agents.setWord(agent, errorWord, error + 1);
    return error;
  }

  #giveUp(agent: number): void {
    let next = this.#agents.word(agent, errorWord);
    while (next !== 0) {
      const error = next - 1;
      next = this.#errors.word(error, nextWord);
      this.#errors.remove(error);
    }
    this.#order.remove(agent);
    this.#agents.remove(agent);
  }

  #clear(): void {
    this.#agents.clear();
    this.#order.clear();
    this.#errors.clear();
    this.#projects.clear();
  }
}
