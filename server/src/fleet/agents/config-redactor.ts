import { redactConfig } from '@muster/redaction';
import { PacedTurns } from '../../foundation/scheduling/paced-turns.ts';

/** Maximum number of characters that are redacted and stored. The longest real configurations have a few hundred thousand. */
export const maxStoredConfigLength = 1_048_576;
/** Up to this length, redaction takes a few milliseconds and runs at once. */
const maxLengthAtOnce = 65_536;

/**
 * Redacts the configurations of agents without blocking other requests for long. Short ones are redacted at once. Long ones, which can take up to 0.1
 * s if they are crafted, are processed one after the other, with a pause after each that is as long as its processing. None is refused, because an
 * agent whose update is refused stays silent until it is restarted.
 */
export class ConfigRedactor {
  readonly #turns: PacedTurns;

  constructor(turns = new PacedTurns()) {
    this.#turns = turns;
  }

  /** Returns the text to store: the redacted configuration, or a note if it is too long. */
  redact(rawConfig: string): string | Promise<string> {
    if (rawConfig.length <= maxLengthAtOnce) return redactConfig(rawConfig);
    if (rawConfig.length > maxStoredConfigLength) return describeUnstored(rawConfig);
    return this.#turns.run(() => redactConfig(rawConfig));
  }
}

function describeUnstored({ length }: string): string {
  return `# Not stored: this configuration has ${length} characters, and at most ${maxStoredConfigLength} are stored.\n`;
}
