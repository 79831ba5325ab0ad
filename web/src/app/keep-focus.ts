/** Dialogs and menus give the focus back within less. */
const graceMilliseconds = 50;

/**
 * Moves the focus when the element that has it is removed, such as a row that was dismissed or a button that was pressed: into the dialog that is open,
 * otherwise to the heading. Nobody has to begin again at the top of the page, and a screen reader says where they are.
 * @returns ends it
 */
export function keepFocus(): () => void {
  let last: Element | null = null;
  let timer: number | undefined;
  const note = () => {
    last = document.activeElement;
  };
  const observer = new MutationObserver(() => {
    if (last === null || last.isConnected || !hasNoFocus()) return;
    last = null;
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      if (hasNoFocus()) nextPlace()?.focus({ preventScroll: true });
    }, graceMilliseconds);
  });
  document.addEventListener('focusin', note);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener('focusin', note);
    observer.disconnect();
    window.clearTimeout(timer);
  };
}

function hasNoFocus(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function nextPlace(): HTMLElement | null {
  const dialogs = document.querySelectorAll<HTMLElement>('[role="dialog"]');
  return dialogs.item(dialogs.length - 1) ?? document.querySelector<HTMLElement>('main h1');
}
