import { distance } from 'fastest-levenshtein';

/** The known name that a mistyped one most likely meant, in either case; undefined when none is close. */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase();
  let nearest: { readonly name: string; readonly edits: number } | undefined;
  for (const name of known) {
    const tolerance = toleratedEdits(name.length);
    // Spares the comparison with a text of any length that a caller may send.
    if (Math.abs(wanted.length - name.length) > tolerance) continue;
    const edits = distance(wanted, name.toLowerCase());
    if (edits <= tolerance && (nearest === undefined || edits < nearest.edits)) nearest = { name, edits };
  }
  return nearest?.name;
}

/** Never more than half of the name: one with every letter changed resembles everything. */
function toleratedEdits(length: number): number {
  return Math.min(Math.max(2, Math.floor(length / 3)), Math.floor(length / 2));
}
