/**
 * The maximum number of rows of `event_changes` in one portion. To add another kind of event, insert a row (project_id, type, data)
 * into this table in the transaction of the change. The consumer numbers it.
 */
export const maxEventChanges = 2_000;
