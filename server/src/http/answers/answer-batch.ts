/**
 * Sends answers together at the end of a turn of the event loop. Sent one by one among the work of a storm, each
 * finds the thread that reads it asleep, and waking that costs the system more than all the rest of a small request;
 * sent in a row, they find it awake. An answer that comes alone goes out at once.
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
