import { distance } from 'fastest-levenshtein';

/** The known name that a mistyped name most likely meant, ignoring case; undefined when none is close. */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase();
  let nearest: { readonly name: string; readonly edits: number } | undefined;
  for (const name of known) {
    const tolerance = toleratedEdits(name.length);
    // Skips the comparison for texts of any length that a caller may send.
    if (Math.abs(wanted.length - name.length) > tolerance) continue;
    const edits = distance(wanted, name.toLowerCase());
    if (edits <= tolerance && (nearest === undefined || edits < nearest.edits)) nearest = { name, edits };
  }
  return nearest?.name;
}

/** At most half of the name's length: otherwise a name with every letter changed would match everything. */
function toleratedEdits(length: number): number {
  return Math.min(Math.max(2, Math.floor(length / 3)), Math.floor(length / 2));
}
