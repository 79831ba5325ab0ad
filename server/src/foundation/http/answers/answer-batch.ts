/**
 * Sends answers together at the end of a turn of the event loop. Sent one by one between other work, each answer
 * wakes the thread that reads it, which costs the system more than the rest of a small request; sent in a row, they
 * find it awake. A single answer is sent at once.
 */
export class AnswerBatch {
  #ready: (() => void)[] = [];

  add(send: () => void): void {
    if (this.#ready.length === 0) setImmediate(() => this.#sendAll());
    this.#ready.push(send);
  }

  #sendAll(): void {
    const ready = this.#ready;
    this.#ready = [];
    for (const send of ready) send();
  }
}
