/** Keeps the text that somebody types for a field which is not there yet, so that it does not reach the keys of the screen, or another field. */
export class TypedAhead {
  #text = '';

  /** Begins to keep what is typed, unless a dialog has the focus: that takes it. */
  start(): void {
    if (document.activeElement?.closest('[role="dialog"]') != null) return;
    document.addEventListener('keydown', this.#keep, { capture: true });
  }

  /** Ends. Returns what was typed since the start. */
  take(): string {
    document.removeEventListener('keydown', this.#keep, { capture: true });
    const text = this.#text;
    this.#text = '';
    return text;
  }

  readonly #keep = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return;
    const characters = [...key];
    if (key === 'Escape') this.take();
    else if (key === 'Backspace') this.#text = [...this.#text].slice(0, -1).join('');
    else if (characters.length === 1) this.#text += key;
    // Of what cannot be kept, Enter alone would do something on the screen.
    else if (key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
  };
}
