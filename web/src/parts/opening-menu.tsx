import type { MenuProps } from '@mantine/core';
import { cloneElement, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { ButtonMenu, type MenuButton } from './button-menu.tsx';

interface OpeningMenuProps extends Pick<MenuProps, 'position' | 'width'> {
  readonly button: MenuButton;
  readonly children: ReactNode;
}

/** A menu that opens when it is first shown, because its button was pressed to load it. */
export function OpeningMenu({ button, children, ...props }: OpeningMenuProps) {
  const [isOpen, setIsOpen] = useState(false);
  const buttonRef = useRef<HTMLButtonElement>(null);
  // In the same turn in which the pressed button went, so that no key is typed in between.
  useLayoutEffect(() => {
    // The successor of that button has the focus before the menu opens, so that it gets it back when the menu closes.
    buttonRef.current?.focus();
    setIsOpen(true);
  }, []);
  return (
    <ButtonMenu
      {...props}
      button={cloneElement(button, { ref: buttonRef })}
      opened={isOpen}
      onChange={setIsOpen}
    >
      {children}
    </ButtonMenu>
  );
}
