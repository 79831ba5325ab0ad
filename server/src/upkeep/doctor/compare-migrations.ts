import { isOfPreview, previewAdvice, previewReason } from '../../foundation/database/migrations/preview.ts';
import type { Report } from './finding.ts';

/** Returns true if the tables are those of this version. */
export function compareMigrations(
  here: readonly string[],
  known: readonly string[],
  report: Report,
): boolean {
  if (isOfPreview(here)) {
    report('failure', `This is no database of a release. ${previewReason}`, previewAdvice);
    return false;
  }
  const newer = here.filter((name) => !known.includes(name));
  const pending = known.filter((name) => !here.includes(name));
  if (newer.length > 0) {
    report(
      'failure',
      `The database is newer than this Muster: it has the migrations ${newer.join(', ')}.`,
      'Use the version of Muster that ran last, or a newer one.',
    );
  } else if (pending.length > 0) {
    report(
      'warning',
      `The tables are older than this version: ${pending.join(', ')} did not run.`,
      'Make a backup, and start the service of this version, or run: muster migrate',
    );
  } else report('ok', `The tables are those of this version (${known.at(-1)}).`);
  return newer.length === 0 && pending.length === 0;
}
