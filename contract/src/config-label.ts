import type { DiffLine } from './parse-diff.ts';

const maxLabelLength = 40;
const maxLabelWords = 3;

/**
 * What people call a configuration: whoever writes one often says in a comment which one it is, such as `# release 42`.
 *
 * @param added the lines that it has and the one before did not have
 */
export function findConfigLabel(added: Iterable<string>): string | undefined {
  for (const line of added) {
    const [, label] = /^\s*#+\s*([\p{L}\p{N}][\p{L}\p{N} ._/:@-]*)\s*$/u.exec(line) ?? [];
    if (label === undefined || label.length > maxLabelLength || !/\d/.test(label)) continue;
    if (label.trim().split(/\s+/).length <= maxLabelWords) return label.trim();
  }
  return undefined;
}

/** What its author calls a configuration, from its difference to the one before. */
export function labelOf(lines: readonly DiffLine[]): string | undefined {
  return findConfigLabel(lines.filter(({ kind }) => kind === 'added').map(({ text }) => text));
}
