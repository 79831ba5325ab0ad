/**
 * The `application_name` of each session: it contains the number of the newest migration that the program knows, so that
 * a newer version can see whether an older one still runs. Versions before migration 7 use `muster`.
 */
export const knownMigration = 23;
export const sessionName = `muster ${knownMigration}`;
