import { setTimeout as pause } from 'node:timers/promises';
import { redactConfig } from '@muster/redaction';

/** More is not read: the longest configurations in the field have a few hundred thousand. */
export const maxStoredConfigLength = 1_048_576;
/** Redacted at once, in a few milliseconds. */
const maxLengthAtOnce = 65_536;

interface ConfigRedactorOptions {
  /** Milliseconds; only differences count. */
  readonly now?: () => number;
  readonly wait?: (milliseconds: number) => Promise<unknown>;
}

/**
 * Redacts the configurations of agents with a bound on what that costs others. Ordinary ones are redacted at once. Long ones,
 * which take up to a tenth of a second when they are crafted, take turns, and after each the service has as much time for
 * everything else as that one took. None is refused: an agent whose update is refused stays silent until it is restarted.
 */
export class ConfigRedactor {
  readonly #now: () => number;
  readonly #wait: (milliseconds: number) => Promise<unknown>;
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor({ now = () => performance.now(), wait = pause }: ConfigRedactorOptions = {}) {
    this.#now = now;
    this.#wait = wait;
  }

  /** What is stored of a configuration; of one that is too long, a line that says so. */
  redact(rawConfig: string): string | Promise<string> {
    if (rawConfig.length <= maxLengthAtOnce) return redactConfig(rawConfig);
    if (rawConfig.length > maxStoredConfigLength) return describeUnstored(rawConfig);
    const redacted = this.#lastTurn.then(() => this.#takeTurn(rawConfig));
    this.#lastTurn = redacted.then(({ rest }) => rest);
    return redacted.then(({ text }) => text);
  }

  /** Never rejects: redaction takes any text. */
  async #takeTurn(rawConfig: string): Promise<{ text: string; rest: Promise<unknown> }> {
    const startedAt = this.#now();
    const text = redactConfig(rawConfig);
    return { text, rest: this.#wait(this.#now() - startedAt) };
  }
}

function describeUnstored({ length }: string): string {
  return `# Not stored: this configuration has ${length} characters, and at most ${maxStoredConfigLength} are stored.\n`;
}
