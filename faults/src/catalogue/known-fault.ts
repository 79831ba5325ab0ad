/** An entry of a catalogue: an error that is known, and what an operator does about it. */
export interface KnownFault {
  /** The agent and the fault: `fluent-bit/unknown-plugin`. It stays the same for ever. */
  readonly id: string;
  readonly title: string;
  /**
   * Parts of a text of which one must occur in it, as the agent prints them. `*` stands for any characters; `{wrong}` too, for
   * the name that is wrong, and `{valid}` for the names that the text lists in its place.
   */
  readonly match: readonly string[];
  /** A message as the agent prints it. */
  readonly example: string;
  /**
   * The same message of another agent or of a later time: both fold into one pattern. Only a message without a part that
   * differs has none.
   */
  readonly repeat?: string;
  readonly meaning: string;
  readonly causes: readonly string[];
  readonly actions: readonly string[];
  /** A page of the agent's own documentation. */
  readonly link: string;
  /** Which names `{wrong}` is compared with: `valid`, those in the text; otherwise a list of `names` of the catalogue. */
  readonly suggests?: string;
  /** True for a message that follows another one, which says more: that one explains a text that contains both. */
  readonly isConsequence?: boolean;
}

/** The known faults of one part of an agent. */
export interface CatalogueSection {
  readonly title: string;
  readonly faults: readonly KnownFault[];
}

/** The known faults of one kind of agent. */
export interface Catalogue {
  readonly agent: string;
  /** The agent's `type` in registrations. */
  readonly types: readonly string[];
  /** Valid names, by what they name. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly sections: readonly CatalogueSection[];
}
