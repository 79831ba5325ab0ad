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
  // Two timers move the focus into a menu that opens. An arrow key typed before the first reaches the button. Typed between the two, it chooses an item, from which the second takes the focus.
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
