import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useKeys } from '../keys/use-keys.ts';
import { keysTexts } from '../texts/keys.ts';
import { partsTexts } from '../texts/parts.ts';
import classes from './selection-bar.module.css';

interface SelectionBarProps {
  readonly count: number;
  readonly concerned: string | undefined;
  readonly onClear: () => void;
  /** What can be done with what is selected. */
  readonly children: ReactNode;
}

/** What can be done with the rows that are selected. It floats below the list, so that no row and no heading moves or is hidden when it appears. */
export function SelectionBar({ count, concerned, onClear, children }: SelectionBarProps) {
  useKeys([{ key: 'Escape', text: keysTexts.clear, run: onClear }]);
  return (
    <div className={classes.bar}>
      <span role="status" className="number">
        <strong>{partsTexts.selectedRows(count)}</strong>
        {concerned !== undefined && `, ${concerned}`}
      </span>
      {children}
      <Button size="compact-sm" variant="subtle" onClick={onClear} rightSection={<KeyHint>Esc</KeyHint>}>
        {partsTexts.clearSelection}
      </Button>
    </div>
  );
}

/** The key that does the same as the button. */
export function KeyHint({ children }: { readonly children: string }) {
  return (
    <span className={classes.key} aria-hidden="true">
      {children}
    </span>
  );
}
