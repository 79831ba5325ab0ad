/** A key and what it does on the screen. */
export interface KeyBinding {
  /** As `KeyboardEvent.key` has it. */
  readonly key: string;
  /** Shown in the list of keys. */
  readonly text: string;
  readonly run: () => void;
}

/** The parts of a keyboard event that decide. */
export interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** True if it belongs to a field, a dialog or a menu. */
  readonly isTaken: boolean;
}

/** The keys of what is on the screen. What was added last comes first. */
export class KeyBindings {
  #lists: (readonly KeyBinding[])[] = [];

  /** @returns removes them */
  add(bindings: readonly KeyBinding[]): () => void {
    this.#lists = [bindings, ...this.#lists];
    return () => {
      this.#lists = this.#lists.filter((list) => list !== bindings);
    };
  }

  /** Each key once, with what it does now. */
  list(): readonly KeyBinding[] {
    const byKey = new Map<string, KeyBinding>();
    for (const binding of this.#lists.flat()) if (!byKey.has(binding.key)) byKey.set(binding.key, binding);
    return [...byKey.values()];
  }

  /** @returns true if the key did something */
  press({ key, ctrlKey, metaKey, altKey, isTaken }: PressedKey): boolean {
    if (isTaken || ctrlKey || metaKey || altKey) return false;
    const binding = this.list().find((one) => one.key === key);
    binding?.run();
    return binding !== undefined;
  }
}
