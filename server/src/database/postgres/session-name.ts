/**
 * What each session calls itself (`application_name`): with the number of the newest migration that the program knows.
 * So a newer program can tell whether an older one still runs. Versions before migration 7 call themselves `muster`.
 */
export const knownMigration = 7;
export const sessionName = `muster ${knownMigration}`;
