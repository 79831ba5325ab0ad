/**
 * On PostgreSQL, the changes that wait to be counted are divided by their project, so that several replicas count at once and no project waits for
 * another. Everything of a project is in one partition.
 */
export const foldPartitions = 16;

/** The last digit of the id of the project, as the columns `part` have it. */
export function foldPartitionOf(projectID: string): number {
  return Number.parseInt(projectID.slice(-1), foldPartitions);
}
