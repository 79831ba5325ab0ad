import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { partsTexts } from '../texts/parts.ts';
import { beginningOf } from './beginning-of.ts';
import classes from './hostile-text.module.css';
import { MarkedText } from './marked-text.tsx';

interface HostileTextProps {
  readonly text: string;
  /** Characters that are shown at first. */
  readonly maxLength?: number;
  /** One line, cut at the end of the place. */
  readonly isLine?: boolean;
}

/** A text of an agent: shown as text, isolated from the direction of what surrounds it, with what is hidden in it made visible. */
export function HostileText({ text, maxLength = 2_000, isLine = false }: HostileTextProps) {
  const [isWhole, setIsWhole] = useState(false);
  // One line never shows more than this, and thousands of characters in each row of a list cost time.
  const limit = isLine ? Math.min(maxLength, 300) : maxLength;
  const shown = isWhole ? text : beginningOf(text, limit);
  return (
    <>
      <bdi className={isLine ? classes.line : classes.text} dir="auto">
        <MarkedText text={isLine ? shown.replaceAll('\n', ' ') : shown} />
        {shown.length < text.length && '…'}
      </bdi>
      {!isLine && shown.length < text.length && (
        <UnstyledButton className={classes.more} onClick={() => setIsWhole(true)}>
          {partsTexts.showWholeText(text.length)}
        </UnstyledButton>
      )}
    </>
  );
}
