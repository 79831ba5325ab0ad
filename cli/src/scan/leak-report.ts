import type { Client } from '@muster/client';
import { countOf } from '@muster/contract';
import type { Printer } from '../output/printer.ts';

interface LeakReportOptions {
  readonly client: Client;
  readonly url: string;
  /** Sent with each value; absent: the place in the files. */
  readonly foundAt: string | undefined;
}

const portionSize = 100;
/** Bounds the memory for values that were sent before. */
const maxValues = 10_000;

/** Sends found values to the service, each once, in portions. */
export class LeakReport {
  readonly #options: LeakReportOptions;
  readonly #sent = new Set<string>();
  #waiting: { readonly token: string; readonly url?: string; readonly source?: string }[] = [];
  #notSent = 0;

  constructor(options: LeakReportOptions) {
    this.#options = options;
  }

  async add(token: string, place: string): Promise<void> {
    if (this.#sent.has(token)) return;
    if (this.#sent.size === maxValues) {
      this.#notSent += 1;
      return;
    }
    this.#sent.add(token);
    const { foundAt } = this.#options;
    this.#waiting.push({
      token,
      ...(foundAt === undefined ? {} : { url: foundAt }),
      source: place.slice(0, 256),
    });
    if (this.#waiting.length === portionSize) await this.#send();
  }

  /** Sends the rest, and says how many were sent. */
  async finish(printer: Printer): Promise<void> {
    await this.#send();
    if (this.#sent.size === 0) return;
    printer.note(
      `Reported ${countOf(this.#sent.size, 'credential')} to ${this.#options.url}. It does not say which are valid.`,
    );
    if (this.#notSent > 0)
      printer.note(`${countOf(this.#notSent, 'further place')} not reported: scan again.`);
  }

  async #send(): Promise<void> {
    const body = this.#waiting;
    this.#waiting = [];
    if (body.length === 0) return;
    const { reportTokenLeaks } = await import('@muster/client');
    await reportTokenLeaks(this.#options.client, { body });
  }
}
