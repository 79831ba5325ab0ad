import { Button, Checkbox, Title } from '@mantine/core';
import type { FleetConfigFinding } from '@muster/client';
import { explainError } from '../../parts/explain-error.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { fleetsTexts } from '../../texts/fleets.ts';
import { partsTexts } from '../../texts/parts.ts';
import classes from './editor.module.css';
import { FindingText } from './finding-text.tsx';
import type { Check } from './use-check.ts';

interface CheckPanelProps {
  readonly check: Check;
  readonly isEmpty: boolean;
  /** The text that a finding is about. */
  readonly textOf: (finding: FleetConfigFinding) => string;
  readonly onUse: (finding: FleetConfigFinding) => void;
  /** Goes to the line of a finding. */
  readonly onGo: (finding: FleetConfigFinding) => void;
  readonly skipsUnknown: boolean;
  readonly onSkipUnknown: (skips: boolean) => void;
}

/** Findings that are listed. */
const maxListed = 20;

/** What the service says of what is written. */
export function CheckPanel(props: CheckPanelProps) {
  const { check, isEmpty, textOf, onUse, onGo, skipsUnknown, onSkipUnknown } = props;
  const { findings } = check;
  const errors = findings.filter(({ severity }) => severity === 'error');
  const isUnknown = skipsUnknown || errors.some(({ code }) => code.startsWith('unknown_'));
  return (
    <section>
      <div className={classes.sideHead}>
        <Title order={2}>{fleetsTexts.check}</Title>
        <span role="status">
          {check.isRunning
            ? fleetsTexts.checking
            : fleetsTexts.problems(errors.length, findings.length - errors.length)}
        </span>
      </div>
      {check.error !== null ? (
        <div className={classes.state} role="alert">
          {fleetsTexts.checkFailed} {explainError(check.error).text}{' '}
          <Button variant="default" size="compact-xs" onClick={check.again}>
            {partsTexts.tryAgain}
          </Button>
        </div>
      ) : isEmpty ? (
        <p className={classes.state}>{fleetsTexts.nothingToCheck}</p>
      ) : (
        findings.length === 0 &&
        check.isClean && (
          <p className={classes.state}>
            <StatusBadge tone="good" text={fleetsTexts.clean} />
          </p>
        )
      )}
      {findings.length > 0 && (
        <ul className={classes.findings}>
          {findings.slice(0, maxListed).map((finding, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: findings have no other identity
            <li key={place}>
              <StatusBadge
                tone={finding.severity === 'error' ? 'bad' : 'warning'}
                text={
                  <button type="button" className={classes.place} onClick={() => onGo(finding)}>
                    <strong>{placeOf(finding)}</strong>
                  </button>
                }
              />
              <div className={classes.finding}>
                <FindingText finding={finding} text={textOf(finding)} onUse={onUse} />
              </div>
            </li>
          ))}
        </ul>
      )}
      {isUnknown && (
        <Checkbox
          mt="sm"
          size="xs"
          label={fleetsTexts.skip}
          description={fleetsTexts.skipText}
          checked={skipsUnknown}
          onChange={({ currentTarget }) => onSkipUnknown(currentTarget.checked)}
        />
      )}
    </section>
  );
}

function placeOf({ file, line }: FleetConfigFinding): string {
  if (line === undefined) return file ?? fleetsTexts.configuration;
  return file === undefined ? fleetsTexts.line(line) : fleetsTexts.lineOf(file, line);
}
