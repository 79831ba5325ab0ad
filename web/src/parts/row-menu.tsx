import { ActionIcon, Menu } from '@mantine/core';
import { partsTexts } from '../texts/parts.ts';
import { ButtonMenu } from './button-menu.tsx';
import { Icon } from './icon.tsx';

export interface RowAction {
  readonly text: string;
  readonly isDangerous?: boolean;
  readonly run: () => void;
}

/** What can be done with a row, or on a page beside its one button. Nothing is shown if there is nothing. */
export function RowMenu({
  name,
  actions,
}: {
  /** Of the row or the page, for screen readers. */
  readonly name: string;
  readonly actions: readonly RowAction[];
}) {
  if (actions.length === 0) return null;
  return (
    <ButtonMenu
      position="bottom-end"
      button={
        <ActionIcon variant="subtle" color="gray" aria-label={partsTexts.actionsOf(name)}>
          <Icon name="more" />
        </ActionIcon>
      }
    >
      {actions.map(({ text, isDangerous = false, run }) => (
        <Menu.Item key={text} onClick={run} {...(isDangerous ? { c: 'var(--muster-bad)' } : {})}>
          {text}
        </Menu.Item>
      ))}
    </ButtonMenu>
  );
}
