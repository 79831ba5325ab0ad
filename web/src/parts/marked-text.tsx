import { visibleParts } from '@muster/contract';
import classes from './hostile-text.module.css';

/** A text in which characters that are not visible, or that change how others are shown, stand as their code points. */
export function MarkedText({ text }: { readonly text: string }) {
  return visibleParts(text).map(({ text: part, isMark }, place) =>
    isMark ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity, and are never moved
      <span key={place} className={classes.mark}>
        {part}
      </span>
    ) : (
      part
    ),
  );
}
