import { Button } from '@mantine/core';
import type { FleetConfigFinding } from '@muster/client';
import { MarkedText } from '../../parts/marked-text.tsx';
import { fleetsTexts } from '../../texts/fleets.ts';
import classes from './editor.module.css';
import { remedyOf } from './remedy.ts';

interface FindingTextProps {
  readonly finding: FleetConfigFinding;
  /** What the finding is about. */
  readonly text: string;
  readonly onUse: (finding: FleetConfigFinding) => void;
}

/** What is wrong, and what to do: with a button if it is to write one word instead of another. */
export function FindingText({ finding, text, onUse }: FindingTextProps) {
  const { message, remedy } = finding;
  const fix = remedyOf(finding, text);
  return (
    <>
      <span className={classes.message}>
        <MarkedText text={message} />
        {fix === undefined && remedy !== undefined && (
          <>
            {' '}
            <MarkedText text={remedy} />
          </>
        )}
      </span>
      {fix !== undefined && (
        <Button variant="default" size="compact-xs" flex="none" onClick={() => onUse(finding)}>
          {fleetsTexts.use(fix.word)}
        </Button>
      )}
    </>
  );
}
