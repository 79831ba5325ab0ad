import type { MouseEvent } from 'react';

/** What does something of its own in a row. */
const own = 'a, button, input, select, textarea, label, summary, [role="menuitem"], [data-chooses]';

/**
 * True if a click somewhere in a row means to open it: not one on a link, a button or the place of the checkbox, not the end of selecting a text, and
 * not one with a key that opens links elsewhere.
 */
export function opensRow(event: MouseEvent<HTMLElement>): boolean {
  const { target, currentTarget, defaultPrevented, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (defaultPrevented || altKey || ctrlKey || metaKey || shiftKey) return false;
  // Menus and dialogs of a row are its children for React, and stand elsewhere on the page.
  if (!(target instanceof Element) || !currentTarget.contains(target)) return false;
  return target.closest(own) === null && window.getSelection()?.isCollapsed !== false;
}
