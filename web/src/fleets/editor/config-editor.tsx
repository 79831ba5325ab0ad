import type { FleetConfigFinding } from '@muster/client';
import { type RefObject, useMemo } from 'react';
import classes from './editor.module.css';
import { FindingText } from './finding-text.tsx';

interface ConfigEditorProps {
  /** Names it for screen readers. */
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** Lines that the version before does not have. */
  readonly changed: readonly number[];
  /** Of this text. */
  readonly findings: readonly FleetConfigFinding[];
  /** Puts the word that a finding proposes in the place of the wrong one. */
  readonly onUse: (finding: FleetConfigFinding) => void;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

/** Rows that an empty editor has. */
const minRows = 12;
/** Findings that stand beside their lines: more would hide what they are about. */
const maxShown = 20;

/** A text with the numbers of its lines. What is wrong stands at the line that it is about. */
export function ConfigEditor(props: ConfigEditorProps) {
  const { label, text, onChange, changed, findings, onUse, field } = props;
  const rows = useMemo(() => Math.max(minRows, text.split('\n').length + 1), [text]);
  const numbers = useMemo(() => Array.from({ length: rows }, (_, index) => index + 1).join('\n'), [rows]);
  const placed = firstOfEachLine(findings).slice(0, maxShown);
  return (
    <div className={classes.editor}>
      <div className={classes.sheet}>
        {changed.slice(0, 1_000).map((line) => (
          <div key={line} className={classes.changed} style={topOf(line)} aria-hidden="true" />
        ))}
        {placed.map(({ line = 1, severity }) => (
          <div
            key={line}
            className={classes.faulty}
            data-severity={severity}
            style={topOf(line)}
            aria-hidden="true"
          />
        ))}
        <pre className={classes.numbers} aria-hidden="true">
          {numbers}
        </pre>
        <textarea
          ref={field}
          className={classes.text}
          aria-label={label}
          aria-invalid={findings.some(({ severity }) => severity === 'error')}
          value={text}
          rows={rows}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          autoCorrect="off"
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
        {placed.map((finding) => (
          <div
            key={finding.line}
            className={classes.pill}
            data-severity={finding.severity}
            style={topOf((finding.line ?? 1) + 1)}
          >
            <FindingText finding={finding} text={text} onUse={onUse} />
          </div>
        ))}
      </div>
    </div>
  );
}

/** In whole lines, whose height the styles know. */
function topOf(line: number) {
  return { '--line': line - 1 } as { readonly top?: string }; // React passes on variables, of which its types know nothing
}

/** Errors before warnings. */
function firstOfEachLine(findings: readonly FleetConfigFinding[]): FleetConfigFinding[] {
  const byLine = new Map<number, FleetConfigFinding>();
  for (const finding of findings) {
    if (finding.line === undefined) continue;
    const known = byLine.get(finding.line);
    if (known === undefined || (known.severity === 'warning' && finding.severity === 'error'))
      byLine.set(finding.line, finding);
  }
  return [...byLine.values()];
}
