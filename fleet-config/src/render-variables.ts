import { nearestName } from '@muster/contract';
import type { Finding } from './finding.ts';
import { LineStarts } from './reading/line-starts.ts';
import { variablePattern } from './variables.ts';

/** What `{{agent.name}}`, `{{vars.x}}`, `{{files.x}}` and `{{secrets.x}}` stand for, by the name after the dot. */
export interface VariableValues {
  readonly agent: ReadonlyMap<string, string>;
  readonly vars: ReadonlyMap<string, string>;
  /** The path of a file on the agent. */
  readonly files: ReadonlyMap<string, string>;
  readonly secrets: ReadonlyMap<string, string>;
}

export interface RenderedText {
  /** An unknown variable stays as it is written. */
  readonly text: string;
  readonly findings: readonly Finding[];
}

/** A variable that a text uses. */
export interface UsedVariable {
  readonly scope: string;
  readonly name: string;
}

const scopes = ['agent', 'vars', 'files', 'secrets'] as const;

/**
 * Replaces variables by their values. A value with a line break is refused, because its second line would be configuration. What has another
 * form than a variable is left alone: braces are common in code.
 */
export function renderVariables(text: string, values: VariableValues): RenderedText {
  const findings: Finding[] = [];
  const lines = new LineStarts(text.includes('{{') ? text : '');
  const rendered = text.replaceAll(
    variablePattern,
    (written: string, scope: string, name: string, offset: number) => {
      const known = scopes.find((one) => one === scope);
      const value = known === undefined ? undefined : values[known].get(name);
      const place = lines.placeOf(offset);
      if (value === undefined) {
        findings.push({ ...explainUnknown(written, scope, name, values), ...place });
        return written;
      }
      if (/[\r\n\0]/.test(value)) {
        findings.push({
          severity: 'error',
          code: 'unsafe_value',
          message: `The value of ${written} has a line break.`,
          remedy: 'Use a value of one line, or a file of the fleet.',
          ...place,
        });
        return written;
      }
      return value;
    },
  );
  return { text: rendered, findings };
}

/** The variables of a text, each once, in their order. */
export function variablesOf(text: string): UsedVariable[] {
  const used = new Map<string, UsedVariable>();
  for (const [, scope = '', name = ''] of text.matchAll(variablePattern))
    used.set(`${scope}.${name}`, { scope, name });
  return [...used.values()];
}

function explainUnknown(written: string, scope: string, name: string, values: VariableValues): Finding {
  const nearestScope = nearestName(scope, scopes);
  const known = scopes.find((one) => one === scope);
  const nearest = known === undefined ? undefined : nearestName(name, [...values[known].keys()]);
  const remedy =
    nearest !== undefined && known !== undefined
      ? `Use {{${known}.${nearest}}}.`
      : known === undefined && nearestScope !== undefined
        ? `Use {{${nearestScope}.${name}}}.`
        : 'Set it, or remove it.';
  return {
    severity: 'error',
    code: 'unknown_variable',
    message: `Nothing is known by the name ${written}.`,
    remedy,
  };
}
