/** The second migration of the versions before the first release, whose migrations were others. */
const migrationOfPreview = '0002-open-errors-by-project';

/** Whether a version before the first release made the tables on which these migrations ran. */
export function isOfPreview(migrations: readonly string[]): boolean {
  return migrations.includes(migrationOfPreview);
}

export const previewReason =
  'Its tables are of a preview of Muster, from before the first release, and no release can read or update them.';
export const previewAdvice =
  'Start with an empty data directory (MUSTER_DATA_DIR) or an empty PostgreSQL database (DATABASE_URL), and register the agents again. What the preview stored can still be read with the preview.';
