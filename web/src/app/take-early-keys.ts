/** In which the code of what opens is loaded, or cannot be. */
const maxMilliseconds = 5_000;

/**
 * Takes what is typed between the key that opens something and the moment at which its field has the focus. The code of it may still be loading then, and
 * the rest of a word would look for something else.
 */
export function takeEarlyKeys(onTyped: (key: string) => void): void {
  const ended = new AbortController();
  const options = { capture: true, signal: ended.signal };
  const end = () => ended.abort();
  setTimeout(end, maxMilliseconds);
  document.addEventListener(
    'keydown',
    (event) => {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      if (target instanceof HTMLInputElement || key === 'Escape') return end();
      if (key.length !== 1 || ctrlKey || metaKey || altKey) return;
      event.preventDefault();
      event.stopPropagation();
      onTyped(key);
    },
    options,
  );
  document.addEventListener(
    'focusin',
    ({ target }) => {
      if (target instanceof HTMLInputElement) end();
    },
    options,
  );
  document.addEventListener('pointerdown', end, options);
}
