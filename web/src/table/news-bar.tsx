import { Button } from '@mantine/core';
import { liveTexts } from '../texts/live.ts';
import classes from './news-bar.module.css';

interface NewsBarProps {
  readonly newCount: number;
  readonly onTakeIn: () => void;
  /** True: it takes no room, over the headings of a table. */
  readonly isFloating?: boolean;
}

/** Offers the rows that have come since the list was read. Nothing moves when it appears. */
export function NewsBar({ newCount, onTakeIn, isFloating = false }: NewsBarProps) {
  return (
    <div className={isFloating ? classes.floating : classes.bar} role="status">
      {newCount > 0 && (
        <Button size="compact-sm" variant={isFloating ? 'filled' : 'light'} onClick={onTakeIn}>
          {liveTexts.newRows(newCount)} · {liveTexts.showNewRows}
        </Button>
      )}
    </div>
  );
}
