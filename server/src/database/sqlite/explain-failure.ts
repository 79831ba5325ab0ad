/** What SQLite says of a file or a disk, and what a person does about it. */
const advice: readonly (readonly [RegExp, string])[] = [
  [
    /disk is full|no space left|quota exceeded/i,
    'Make room on the disk that holds the data directory; a service that runs goes on by itself then.',
  ],
  [
    /readonly|read-only/i,
    'Let Muster write to the data directory and every file in it. A system that takes a disk for broken makes it read-only: its log says so.',
  ],
  [
    /I\/O error|file too large/i,
    'The system does not let Muster read or write its files, and its log says why. Look whether the disk that holds the data directory is full or fails, and at limits on the size of files.',
  ],
  [
    /malformed|not a database/i,
    'The file is damaged or not one of Muster: stop Muster, put a copy of the data directory aside, and restore a backup.',
  ],
  [
    /unable to open/i,
    'Let Muster read and write the data directory and every file in it, and look whether its disk is full or was made read-only by the system.',
  ],
  [
    /is locked|busy/i,
    'Another program holds the database, such as a backup or a shell of SQLite: let it finish or end it.',
  ],
];

/** A message of SQLite, followed by what to do where that is known. */
export function explainFailure(message: string): string {
  const todo = advice.find(([pattern]) => pattern.test(message))?.[1];
  return todo === undefined ? message : `${message}. ${todo}`;
}
