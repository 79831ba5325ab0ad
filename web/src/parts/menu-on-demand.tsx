import { type ReactNode, Suspense, useState } from 'react';
import type { MenuButton } from './button-menu.tsx';

/** What the button needs until its menu is there. */
interface MenuButtonProps {
  readonly 'aria-haspopup'?: 'menu';
  readonly 'aria-expanded'?: boolean;
  readonly onPointerEnter?: () => void;
  readonly onFocus?: () => void;
  readonly onClick?: () => void;
}

interface MenuOnDemandProps {
  /** Loads the code of the menu. */
  readonly load: () => Promise<unknown>;
  readonly button: (props: MenuButtonProps) => MenuButton;
  /** A component that is loaded when it is first rendered, with an `OpeningMenu`. */
  readonly menu: (button: MenuButton) => ReactNode;
}

/** The button of a menu whose code is not part of the first load: it begins to load when somebody points at the button. */
export function MenuOnDemand({ load, button, menu }: MenuOnDemandProps) {
  const [isWanted, setIsWanted] = useState(false);
  // A failure is shown when the menu is opened.
  const prepare = () => void load().catch(() => undefined);
  const waiting = button({
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: prepare,
    onFocus: prepare,
    onClick: () => setIsWanted(true),
  });
  return isWanted ? <Suspense fallback={waiting}>{menu(button({}))}</Suspense> : waiting;
}
