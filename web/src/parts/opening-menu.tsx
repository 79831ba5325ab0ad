import { Menu, type MenuProps } from '@mantine/core';
import {
  cloneElement,
  type ReactElement,
  type ReactNode,
  type RefAttributes,
  useEffect,
  useRef,
  useState,
} from 'react';

/** A button that menus can open from. */
export type MenuButton = ReactElement<RefAttributes<HTMLButtonElement>>;

interface OpeningMenuProps extends Pick<MenuProps, 'position' | 'width'> {
  readonly button: MenuButton;
  readonly children: ReactNode;
}

/** A menu that opens when it is first shown, because its button was pressed to load it. */
export function OpeningMenu({ button, children, ...props }: OpeningMenuProps) {
  const [isOpen, setIsOpen] = useState(false);
  const buttonRef = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button that was pressed is gone. Its successor has the focus before the menu opens, so that it gets it back when the menu closes.
    buttonRef.current?.focus();
    setIsOpen(true);
  }, []);
  return (
    <Menu {...props} opened={isOpen} onChange={setIsOpen}>
      <Menu.Target>{cloneElement(button, { ref: buttonRef })}</Menu.Target>
      <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
        {children}
      </Menu.Dropdown>
    </Menu>
  );
}
