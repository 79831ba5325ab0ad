/**
 * Text as troff prints it, each character as it stands: a hyphen stays one that can be copied to a shell, and nothing in
 * it is a request, an escape or the end of an argument. Characters that only UTF-8 has are named by their number.
 */
export function escapeTroff(text: string): string {
  return text
    .split('\n')
    .map((line) => escapeStart(line.replaceAll(/[\\\-'"`^~]|[^\x20-\x7e]/gu, escapeCharacter)))
    .join('\n');
}

const names: Readonly<Record<string, string>> = {
  '\\': '\\(rs',
  '-': '\\-',
  "'": '\\(aq',
  '"': '\\(dq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

function escapeCharacter(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return names[character] ?? `\\[u${number.toString(16).toUpperCase().padStart(4, '0')}]`;
}

/** A full stop there would make the line a request. */
function escapeStart(line: string): string {
  return line.startsWith('.') ? `\\&${line}` : line;
}

export function bold(text: string): string {
  return `\\fB${escapeTroff(text)}\\fR`;
}

export function section(title: string): string {
  return `.SH ${escapeTroff(title.toUpperCase())}`;
}

export function subsection(title: string): string {
  return `.SS ${escapeTroff(title)}`;
}

/** Text that is filled and set off by a space. */
export function paragraph(text: string): string {
  return `.PP\n${escapeTroff(text)}`;
}

/** A term, already troff, and what it means. */
export function definition(term: string, text: string): string {
  return `.TP\n${term}\n${escapeTroff(text)}`;
}

/** Lines that stay as they are, set in. */
export function verbatim(lines: readonly string[]): string {
  return ['.PP', '.RS 4', '.nf', ...lines.map(escapeTroff), '.fi', '.RE'].join('\n');
}
