import type { MigrationProgress } from './migrate.ts';

/** Reports progress after each tenth. */
export function eachTenth(
  tell: (progress: MigrationProgress) => void,
): (progress: MigrationProgress) => void {
  let told = -1;
  return (progress) => {
    const tenth = progress.total === 0 ? 10 : Math.floor((10 * progress.done) / progress.total);
    if (tenth <= told) return;
    told = tenth;
    tell(progress);
  };
}
