import type { DiffLine, DiffLineKind } from '@muster/contract';
import { Fragment } from 'react';
import { HostileText } from '../../parts/hostile-text.tsx';
import { MarkedText } from '../../parts/marked-text.tsx';
import { differenceTexts } from '../../texts/difference.ts';
import classes from './config-diff.module.css';
import { leftOutBefore, markChanges } from './mark-changes.ts';

const signs: Readonly<Record<DiffLineKind, string>> = {
  added: '+',
  removed: '-',
  same: ' ',
  hunk: '',
  note: '',
};

interface DiffLinesProps {
  readonly lines: readonly DiffLine[];
  /** Names them for screen readers. */
  readonly label: string;
  /** Said below a line of the newer configuration. */
  readonly note?: LineNote | undefined;
}

export interface LineNote {
  readonly line: number;
  readonly text: string;
}

/** The lines of a difference; where one line took the place of another, with what differs in them. */
export function DiffLines({ lines, label, note }: DiffLinesProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={classes.diff} aria-label={label} tabIndex={0}>
      {shownLines(lines).map(({ kind, oldNumber, newNumber, parts }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity, and are never moved
        <Fragment key={place}>
          <div className={classes.line} data-kind={kind}>
            <span className={classes.number}>{newNumber ?? oldNumber}</span>
            <span className={classes.sign}>{signs[kind]}</span>
            <bdi className={classes.text} dir="auto">
              {parts.map(({ text, isChanged }, index) =>
                isChanged ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity, and are never moved
                  <mark key={index}>
                    <MarkedText text={text} />
                  </mark>
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity, and are never moved
                  <MarkedText key={index} text={text} />
                ),
              )}
            </bdi>
          </div>
          {note !== undefined && kind === 'added' && newNumber === note.line && (
            <div className={classes.said}>
              <HostileText text={note.text} maxLength={400} />
            </div>
          )}
        </Fragment>
      ))}
    </section>
  );
}

/** How many equal lines are left out stands where the format names the place. */
function shownLines(lines: readonly DiffLine[]) {
  return markChanges(lines).flatMap((line, place) => {
    if (line.kind !== 'hunk') return [line];
    const count = leftOutBefore(lines, place);
    return count === 0
      ? []
      : [{ ...line, parts: [{ text: differenceTexts.equalLines(count), isChanged: false }] }];
  });
}
