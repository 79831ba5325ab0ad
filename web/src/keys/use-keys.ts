import { createContext, useContext, useEffect } from 'react';
import { type KeyBinding, KeyBindings } from './key-bindings.ts';

export const KeysContext = createContext(new KeyBindings());

/** Gives keys a meaning while the component is on the screen. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const keys = useContext(KeysContext);
  // After each render, because what they do depends on it.
  useEffect(() => keys.add(bindings));
}

/** Listens to the keyboard for all bindings. */
export function useKeyboard(keys: KeyBindings): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      const isTaken = event.defaultPrevented || belongsToOther(event.target);
      if (keys.press({ key, ctrlKey, metaKey, altKey, isTaken })) event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [keys]);
}

function belongsToOther(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"], [role="alertdialog"]') !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  const isField = target.matches('input:not([type="checkbox"], [type="radio"]), textarea, select');
  return isField || target.isContentEditable || target.closest('[role="menu"], [role="listbox"]') !== null;
}
