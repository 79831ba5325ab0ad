import { distance } from 'fastest-levenshtein';

/** The maximum number of edits in a typing error. */
const maxEdits = 2;

/** The name that a wrong one most likely meant; undefined when none is close. */
export function nearestOf(wrong: string, names: readonly string[]): string | undefined {
  const wanted = wrong.toLowerCase();
  let nearest: { readonly name: string; readonly edits: number } | undefined;
  for (const name of names) {
    // Two edits would change a short name completely.
    const tolerance = Math.min(maxEdits, Math.floor(name.length / 2));
    if (Math.abs(wanted.length - name.length) > tolerance) continue;
    const edits = distance(wanted, name.toLowerCase());
    if (edits > 0 && edits <= tolerance && edits < (nearest?.edits ?? Number.POSITIVE_INFINITY))
      nearest = { name, edits };
  }
  return nearest?.name;
}
