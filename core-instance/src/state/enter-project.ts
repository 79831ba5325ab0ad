import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgressFile } from './progress-file.ts';
import { StateError } from './state-error.ts';

/** What the state folder has of its project, beside what waits. */
const ofProject = ['agents.log', 'credentials.json', 'fleets.json', 'fleets'];

/**
 * From now on, the state folder belongs to a project. What it has of another one goes: its tokens must not open this project, and its agents must not get
 * the configurations of this one.
 *
 * @throws StateError if something of another project waits (as a rejection)
 */
export async function enterProject(
  folder: string,
  progress: ProgressFile,
  projectID: string,
  isSpoolEmpty: boolean,
): Promise<void> {
  const before = progress.progress.projectID;
  if (before === projectID) return;
  if (before !== null) {
    if (!isSpoolEmpty) throw otherProject(folder, before, projectID);
    for (const name of ofProject) await rm(join(folder, name), { recursive: true, force: true });
  }
  await progress.write({ projectID });
}

export function otherProject(folder: string, known: string, given: string): StateError {
  return new StateError(
    `The state folder ${folder} belongs to a core instance of project ${known}, and the token is one of project ${given}, where what waits in the folder would be lost. Start it with a token of project ${known}, or choose another folder with --state-directory.`,
  );
}
