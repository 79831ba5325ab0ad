import { setTimeout as pause } from 'node:timers/promises';
import { redactConfig } from '@muster/redaction';

/** Maximum number of characters that are redacted and stored. The longest real configurations have a few hundred thousand. */
export const maxStoredConfigLength = 1_048_576;
/** Up to this length, redaction takes a few milliseconds and runs at once. */
const maxLengthAtOnce = 65_536;

interface ConfigRedactorOptions {
  /** Milliseconds; only differences are used. */
  readonly now?: () => number;
  readonly wait?: (milliseconds: number) => Promise<unknown>;
}

/**
 * Redacts the configurations of agents without blocking other requests for long. Short ones are redacted at once. Long ones, which can take up to 0.1
 * s if they are crafted, are processed one after the other, with a pause after each that is as long as its processing. None is refused, because an
 * agent whose update is refused stays silent until it is restarted.
 */
export class ConfigRedactor {
  readonly #now: () => number;
  readonly #wait: (milliseconds: number) => Promise<unknown>;
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor({ now = () => performance.now(), wait = pause }: ConfigRedactorOptions = {}) {
    this.#now = now;
    this.#wait = wait;
  }

  /** Returns the text to store: the redacted configuration, or a note if it is too long. */
  redact(rawConfig: string): string | Promise<string> {
    if (rawConfig.length <= maxLengthAtOnce) return redactConfig(rawConfig);
    if (rawConfig.length > maxStoredConfigLength) return describeUnstored(rawConfig);
    const redacted = this.#lastTurn.then(() => this.#takeTurn(rawConfig));
    this.#lastTurn = redacted.then(({ rest }) => rest);
    return redacted.then(({ text }) => text);
  }

  /** Never rejects, because redaction accepts any text. */
  async #takeTurn(rawConfig: string): Promise<{ text: string; rest: Promise<unknown> }> {
    const startedAt = this.#now();
    const text = redactConfig(rawConfig);
    return { text, rest: this.#wait(this.#now() - startedAt) };
  }
}

function describeUnstored({ length }: string): string {
  return `# Not stored: this configuration has ${length} characters, and at most ${maxStoredConfigLength} are stored.\n`;
}
