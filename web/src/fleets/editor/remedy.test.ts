import { describe, expect, it } from 'vitest';
import { remedyOf } from './remedy.ts';

const text = '[INPUT]\n    Name  tial\n    Pfad  /var/log/tial.log\n';
const missing = "Fluent Bit 5.1.1 has no input 'tial'.";

function applied(finding: Parameters<typeof remedyOf>[0], to = text): string | undefined {
  const remedy = remedyOf(finding, to);
  return remedy && to.slice(0, remedy.begin) + remedy.word + to.slice(remedy.end);
}

describe('the remedy of a finding', () => {
  it('puts the right word in the place of the wrong one', () => {
    expect(applied({ message: missing, remedy: "Use 'tail'.", line: 2, column: 11 })).toBe(
      text.replace('Name  tial', 'Name  tail'),
    );
  });

  it('finds the wrong word before the column too, because a finding may stand at the value', () => {
    const message = "The input 'tail' has no property 'Pfad'.";
    expect(applied({ message, remedy: "Use 'path'.", line: 3, column: 11 })).toBe(
      text.replace('Pfad', 'path'),
    );
  });

  it('compares names without case', () => {
    const message = "The input 'tail' has no property 'pfad'.";
    expect(applied({ message, remedy: "Use 'path'.", line: 3, column: 5 })).toBe(
      text.replace('Pfad', 'path'),
    );
  });

  it.each([
    ['no word', { message: missing, remedy: 'Remove it.', line: 2 }],
    ['several words', { message: missing, remedy: "Use 'logs', 'metrics' and 'traces'.", line: 2 }],
    ['no line', { message: missing, remedy: "Use 'tail'." }],
    ['a line that is gone', { message: missing, remedy: "Use 'tail'.", line: 9 }],
    ['a word that is gone', { message: missing, remedy: "Use 'tail'.", line: 1 }],
    ['a part of another word', { message: "no input 'tia'", remedy: "Use 'tail'.", line: 2 }],
  ])('is no button if it names %s', (_, finding) => {
    expect(remedyOf(finding, text)).toBeUndefined();
  });
});
