import { Button, Text } from '@mantine/core';
import { parseDiff } from '@muster/contract';
import { useMemo, useState } from 'react';
import { agentsTexts } from '../../texts/agents.ts';
import { DiffLines, type LineNote } from './diff-lines.tsx';

interface DifferenceProps {
  readonly difference: {
    /** Null: there is nothing before. */
    readonly from: unknown;
    /** In the unified format. */
    readonly diff: string;
    readonly addedLines: number;
    readonly removedLines: number;
    readonly isCoarse: boolean;
  };
  /** Said when the two are equal. */
  readonly same: string;
  /** Said when there is nothing before. */
  readonly first: string;
  /** Names the lines for screen readers, where others are on the screen too. */
  readonly label?: string | undefined;
  readonly note?: LineNote | undefined;
}

/** Lines that are shown at first. */
const maxLines = 300;

/** What differs between two configurations, line by line, with how much it is. */
export function Difference({
  difference,
  same,
  first,
  label = agentsTexts.changedLines,
  note,
}: DifferenceProps) {
  const { from, diff, addedLines, removedLines, isCoarse } = difference;
  const lines = useMemo(() => parseDiff(diff), [diff]);
  const [isWhole, setIsWhole] = useState(false);
  if (lines.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {same}
      </Text>
    );
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {from === null && `${first} `}
        {agentsTexts.lines(addedLines, removedLines)}
        {isCoarse && `. ${agentsTexts.isCoarse}`}
      </Text>
      <DiffLines lines={lines.slice(0, isWhole ? undefined : maxLines)} label={label} note={note} />
      {!isWhole && lines.length > maxLines && (
        <Button variant="default" size="compact-sm" mt="xs" onClick={() => setIsWhole(true)}>
          {agentsTexts.showAllLines(lines.length)}
        </Button>
      )}
    </>
  );
}
