import { Button } from '@mantine/core';
import { liveTexts } from '../texts/live.ts';
import classes from './news-bar.module.css';

interface NewsBarProps {
  readonly newCount: number;
  readonly onTakeIn: () => void;
}

/** Offers the rows that have come since the list was read. Its place is always there, so that nothing moves when it appears. */
export function NewsBar({ newCount, onTakeIn }: NewsBarProps) {
  return (
    <div className={classes.bar} role="status">
      {newCount > 0 && (
        <Button size="compact-sm" variant="light" onClick={onTakeIn}>
          {liveTexts.newRows(newCount)} · {liveTexts.showNewRows}
        </Button>
      )}
    </div>
  );
}
