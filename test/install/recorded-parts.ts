const recordedPart = /(<!-- recorded:(\S+) -->\n)([\s\S]*?)(<!-- \/recorded -->)/g;

/** What stands between `<!-- recorded:NAME -->` and `<!-- /recorded -->`, by its name. */
export function readRecordedParts(markdown: string): Record<string, string> {
  const parts = [...markdown.matchAll(recordedPart)];
  return Object.fromEntries(parts.map(([, , name = '', text = '']) => [name, text.trim()]));
}

/** Puts what was recorded there. @throws Error when the names are not the same */
export function fillRecordedParts(markdown: string, recorded: Readonly<Record<string, string>>): string {
  const places = Object.keys(readRecordedParts(markdown)).sort().join(' ');
  const names = Object.keys(recorded).sort().join(' ');
  if (places !== names) throw new Error(`there are places for ${places}, but recorded was ${names}`);
  return markdown.replace(
    recordedPart,
    (_, start: string, name: string, _before: string, end: string) =>
      `${start}\n${recorded[name]?.trim()}\n\n${end}`,
  );
}
