import { migrationNames } from '../migrations/migrations.ts';

/**
 * The `application_name` of each session: it contains the number of the newest migration that the program knows, so that
 * a newer version can see whether an older one still runs.
 */
export const sessionName = `muster ${migrationNames.length}`;
