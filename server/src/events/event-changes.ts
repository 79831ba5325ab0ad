/**
 * How many rows of `event_changes` one portion takes. What else is to become an event, such as a job that has ended, is appended to
 * that table (project_id, type, data) in the transaction that does it, and never numbered there.
 */
export const maxEventChanges = 2_000;
