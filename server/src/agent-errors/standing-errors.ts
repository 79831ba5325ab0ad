import type { AcceptedReport, Report, StoreReports } from './report.ts';
import { type StandingError, StandingErrorsOfAgent } from './standing-errors-of-agent.ts';

/** About 250 bytes each, with texts that agents have in common held once. */
const mostErrors = 200_000;
const mostSharedTexts = 20_000;

/**
 * Errors that are known to stand, in the memory of the one process that can change that. In a storm every agent
 * repeats what stands already: those reports are answered from here, without the database.
 *
 * What is not here is unknown, never absent: the database decides. Whatever may end the standing of an error
 * (dismissal, another configuration, deletion) has to call `forget` in the turn in which it learns of the commit.
 */
export class StandingErrors {
  /** In the order of their last use, so that the first is the one to give up. */
  readonly #agents = new Map<string, StandingErrorsOfAgent>();
  readonly #sharedTexts = new Map<string, string>();
  readonly #mostErrors: number;
  /** Agents that were forgotten while a batch was under way, which may have read what was true before. */
  readonly #forgottenMeanwhile = new Set<string>();
  #errors = 0;

  constructor(options: { readonly mostErrors?: number } = {}) {
    this.#mostErrors = options.mostErrors ?? mostErrors;
  }

  find(agentID: string, projectID: string, text: string): StandingError | undefined {
    const agent = this.#agents.get(agentID);
    return agent?.projectID === projectID ? agent.find(text) : undefined;
  }

  forget(agentID: string): void {
    this.#forgottenMeanwhile.add(agentID);
    const agent = this.#agents.get(agentID);
    if (agent === undefined) return;
    this.#errors -= agent.size;
    this.#agents.delete(agentID);
  }

  /** Remembers what a store finds standing. Its batches must come one after the other. */
  learnFrom(store: StoreReports): StoreReports {
    return async (reports) => {
      this.#forgottenMeanwhile.clear();
      const outcomes = await store(reports);
      reports.forEach((report, index) => {
        const outcome = outcomes[index];
        if (outcome?.kind === 'created' || outcome?.kind === 'ignored') this.#keep(report, outcome);
      });
      return outcomes;
    };
  }

  #keep({ agentID, projectID, error }: Report, { id, createdAt }: AcceptedReport): void {
    if (this.#forgottenMeanwhile.has(agentID)) return;
    const agent = this.#agents.get(agentID) ?? new StandingErrorsOfAgent(projectID);
    const sizeBefore = agent.size;
    agent.set(this.#share(error), { id, createdAt });
    this.#errors += agent.size - sizeBefore;
    this.#agents.delete(agentID);
    this.#agents.set(agentID, agent);
    while (this.#errors > this.#mostErrors) this.#giveUpOldest();
  }

  #giveUpOldest(): void {
    const [oldest] = this.#agents;
    if (oldest === undefined) return;
    const [agentID, { size }] = oldest;
    this.#errors -= size;
    this.#agents.delete(agentID);
  }

  /** A bad rollout gives every agent the same few texts. */
  #share(text: string): string {
    const shared = this.#sharedTexts.get(text);
    if (shared !== undefined) return shared;
    if (this.#sharedTexts.size >= mostSharedTexts) this.#sharedTexts.clear();
    this.#sharedTexts.set(text, text);
    return text;
  }
}
