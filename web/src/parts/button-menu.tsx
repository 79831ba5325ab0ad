import { Menu, type MenuProps } from '@mantine/core';
import {
  cloneElement,
  type DOMAttributes,
  type FocusEvent,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type RefAttributes,
  useRef,
} from 'react';

/** A button that menus can open from. */
export type MenuButton = ReactElement<
  Pick<DOMAttributes<HTMLButtonElement>, 'onKeyDown'> & RefAttributes<HTMLButtonElement>
>;

interface ButtonMenuProps extends Pick<MenuProps, 'position' | 'width' | 'opened' | 'onChange'> {
  readonly button: MenuButton;
  readonly children: ReactNode;
}

/** A button with the menu that opens from it. */
export function ButtonMenu({ button, children, ...props }: ButtonMenuProps) {
  // An open menu takes the focus some moments later, and at once again: an arrow key typed before that reaches the button, or loses the item that it has chosen.
  const isFirstItemChosen = useRef(false);
  const chooseFirstItem = ({ key }: KeyboardEvent) => {
    isFirstItemChosen.current = key === 'ArrowDown' || key === 'ArrowUp';
  };
  const focusFirstItem = ({ currentTarget, target }: FocusEvent<HTMLElement>) => {
    if (isFirstItemChosen.current && !target.matches('[role="menuitem"]'))
      currentTarget.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
  };
  return (
    <Menu
      {...props}
      onClose={() => {
        isFirstItemChosen.current = false;
      }}
    >
      <Menu.Target>{cloneElement(button, { onKeyDown: chooseFirstItem })}</Menu.Target>
      <Menu.Dropdown
        mah="70vh"
        style={{ overflowY: 'auto' }}
        onKeyDown={chooseFirstItem}
        onFocus={focusFirstItem}
      >
        {children}
      </Menu.Dropdown>
    </Menu>
  );
}
