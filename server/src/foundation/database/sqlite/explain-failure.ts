/** Messages of SQLite about a file or a disk, with the remedy. */
const advice: readonly (readonly [RegExp, string])[] = [
  [
    /disk is full|no space left|quota exceeded/i,
    'Free some space on the disk with the data directory; a running service then continues automatically.',
  ],
  [
    /readonly|read-only/i,
    'Let Muster write to the data directory and every file in it. The system may have made a faulty disk read-only: check its log.',
  ],
  [
    /I\/O error|file too large/i,
    "The system does not let Muster read or write its files; the system's log says why. Check whether the disk with the data directory is full or failing, and check limits on the size of files.",
  ],
  [
    /malformed|not a database/i,
    'The file is damaged or is not a Muster database: stop Muster, keep a copy of the data directory, and restore a backup.',
  ],
  [
    /unable to open/i,
    'Let Muster read and write the data directory and every file in it, and check whether its disk is full or read-only.',
  ],
  [
    /is locked|busy/i,
    'Another program has locked the database, such as a backup or an SQLite shell: let it finish or stop it.',
  ],
];

/** Adds the remedy to a message of SQLite, if one is known. */
export function explainFailure(message: string): string {
  const todo = advice.find(([pattern]) => pattern.test(message))?.[1];
  return todo === undefined ? message : `${message}. ${todo}`;
}
