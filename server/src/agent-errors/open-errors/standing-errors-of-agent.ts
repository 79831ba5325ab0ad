/** An open error of the configuration that its agent runs: a report with the same text is ignored. */
export interface StandingError {
  readonly id: string;
  /** Milliseconds. */
  readonly createdAt: number;
}

interface StandingText extends StandingError {
  readonly text: string;
}

/** Up to here, looking through all of them is as fast as a Map, which takes some 200 bytes more. */
const few = 8;

/** The errors that are known to stand for one agent, by their texts. Most agents have one or two. */
export class StandingErrorsOfAgent {
  readonly projectID: string;
  /** Of texts that no other agent had when they came, in UTF-16 units. */
  characters = 0;
  #few: StandingText[] = [];
  #many: Map<string, StandingText> | undefined;

  constructor(projectID: string) {
    this.projectID = projectID;
  }

  get size(): number {
    return this.#many?.size ?? this.#few.length;
  }

  find(text: string): StandingError | undefined {
    return this.#many === undefined ? this.#few.find((one) => one.text === text) : this.#many.get(text);
  }

  set(text: string, { id, createdAt }: StandingError): void {
    const standing = { text, id, createdAt };
    if (this.#many !== undefined) {
      this.#many.set(text, standing);
      return;
    }
    const index = this.#few.findIndex((one) => one.text === text);
    if (index >= 0) this.#few[index] = standing;
    else this.#few.push(standing);
    if (this.#few.length > few) {
      this.#many = new Map(this.#few.map((one) => [one.text, one]));
      this.#few = [];
    }
  }
}
