import type { CacheFigures } from '../../cache-figures.ts';
import type { AcceptedReport, Report, StoreReports } from '../report.ts';
import { type StandingError, StandingErrorsOfAgent } from './standing-errors-of-agent.ts';

/** About 250 bytes each, with texts that agents have in common held once. */
const maxErrors = 200_000;
const maxSharedTexts = 20_000;
/** UTF-16 units, of one or two bytes each. */
const maxCharacters = 32_000_000;
const maxSharedCharacters = 8_000_000;

/**
 * Errors that are known to stand, in the memory of the one process that can change that. In a storm every agent
 * repeats what stands already: those reports are answered from here, without the database.
 *
 * What is not here is unknown, never absent: the database decides. Whatever may end the standing of an error
 * (dismissal, another configuration, deletion) has to call `forget` in the turn in which it learns of the commit.
 */
export class StandingErrors {
  /**
   * In the order in which they last learned of an error: the first is the one to give up. A Map, since each report looks
   * here: a look-up in an lru-cache of 100,000 takes 210 ns, and here 23 ns.
   */
  readonly #agents = new Map<string, StandingErrorsOfAgent>();
  readonly #sharedTexts = new Map<string, string>();
  readonly #maxErrors: number;
  readonly #maxCharacters: number;
  /** Agents that were forgotten while a batch was under way, which may have read what was true before. */
  readonly #forgottenMeanwhile = new Set<string>();
  #hasForgottenAll = false;
  #errors = 0;
  #hits = 0;
  #misses = 0;
  #characters = 0;
  #sharedCharacters = 0;

  constructor(options: { readonly maxErrors?: number; readonly maxCharacters?: number } = {}) {
    this.#maxErrors = options.maxErrors ?? maxErrors;
    this.#maxCharacters = options.maxCharacters ?? maxCharacters;
  }

  get figures(): CacheFigures {
    return { size: this.#errors, limit: this.#maxErrors, hits: this.#hits, misses: this.#misses };
  }

  find(agentID: string, projectID: string, text: string): StandingError | undefined {
    const agent = this.#agents.get(agentID);
    const found = agent?.projectID === projectID ? agent.find(text) : undefined;
    if (found === undefined) this.#misses += 1;
    else this.#hits += 1;
    return found;
  }

  forget(agentID: string): void {
    this.#forgottenMeanwhile.add(agentID);
    const agent = this.#agents.get(agentID);
    if (agent !== undefined) this.#giveUp(agentID, agent);
  }

  forgetAll(): void {
    this.#hasForgottenAll = true;
    this.#agents.clear();
    this.#errors = 0;
    this.#characters = 0;
  }

  /** Remembers what a store finds standing. Its batches must come one after the other. */
  learnFrom(store: StoreReports): StoreReports {
    return async (reports) => {
      this.#forgottenMeanwhile.clear();
      this.#hasForgottenAll = false;
      const outcomes = await store(reports);
      reports.forEach((report, index) => {
        const outcome = outcomes[index];
        if (outcome?.kind === 'created' || outcome?.kind === 'ignored') this.#keep(report, outcome);
      });
      return outcomes;
    };
  }

  #keep({ agentID, projectID, error }: Report, { id, createdAt }: AcceptedReport): void {
    if (this.#hasForgottenAll || this.#forgottenMeanwhile.has(agentID)) return;
    const agent = this.#agents.get(agentID) ?? new StandingErrorsOfAgent(projectID);
    const sizeBefore = agent.size;
    const shared = this.#sharedTexts.get(error);
    agent.set(shared ?? this.#share(error), { id, createdAt });
    this.#errors += agent.size - sizeBefore;
    if (shared === undefined && agent.size > sizeBefore) {
      agent.characters += error.length;
      this.#characters += error.length;
    }
    this.#agents.delete(agentID);
    this.#agents.set(agentID, agent);
    while (this.#errors > this.#maxErrors || this.#characters > this.#maxCharacters) this.#giveUpOldest();
  }

  #giveUpOldest(): void {
    const [oldest] = this.#agents;
    if (oldest === undefined) return;
    this.#giveUp(...oldest);
  }

  #giveUp(agentID: string, { size, characters }: StandingErrorsOfAgent): void {
    this.#errors -= size;
    this.#characters -= characters;
    this.#agents.delete(agentID);
  }

  /** A bad rollout gives every agent the same few texts. */
  #share(text: string): string {
    if (
      this.#sharedTexts.size >= maxSharedTexts ||
      this.#sharedCharacters + text.length > maxSharedCharacters
    ) {
      this.#sharedTexts.clear();
      this.#sharedCharacters = 0;
    }
    this.#sharedTexts.set(text, text);
    this.#sharedCharacters += text.length;
    return text;
  }
}
