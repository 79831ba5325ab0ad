import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** The size of a database as seen by its connection. */
export interface DatabaseSize {
  readonly pageSize: number;
  readonly pageCount: number;
}

/** SQLite, "Database File Format", section 4: the header of a log, and what precedes each page in it. */
const logHeaderBytes = 32;
const frameHeaderBytes = 24;
const saltBytes = 8;

/**
 * Checks that each page of a database is in its file or its log. SQLite itself detects a short file, but not while there is a log: it would treat the
 * missing pages as empty, and the next checkpoint would make that permanent. The caller must prevent writes meanwhile.
 *
 * @throws Error if pages are missing
 */
export function expectWholeFile(file: string, log: string, { pageSize, pageCount }: DatabaseSize): void {
  const pagesInFile = Math.floor(statSync(file).size / pageSize);
  if (pagesInFile >= pageCount) return;
  const missing = new Set(
    Array.from({ length: pageCount - pagesInFile }, (_, index) => pagesInFile + index + 1),
  );
  for (const page of pagesInLog(log, pageSize)) missing.delete(page);
  if (missing.size === 0) return;
  throw new Error(
    `database disk image is malformed: the file was cut off, ${missing.size} of its ${pageCount} pages are missing`,
  );
}

/** The numbers of the pages in the log, without remains from before its last restart. */
function* pagesInLog(log: string, pageSize: number): Generator<number> {
  const handle = openSync(log, 'r');
  try {
    const logHeader = Buffer.alloc(logHeaderBytes);
    readSync(handle, logHeader, 0, logHeaderBytes, 0);
    const salt = logHeader.subarray(16, 16 + saltBytes);
    const frame = Buffer.alloc(frameHeaderBytes);
    const { size } = fstatSync(handle);
    for (let at = logHeaderBytes; at + frameHeaderBytes <= size; at += frameHeaderBytes + pageSize) {
      readSync(handle, frame, 0, frameHeaderBytes, at);
      if (!frame.subarray(8, 8 + saltBytes).equals(salt)) return;
      yield frame.readUInt32BE(0);
    }
  } finally {
    closeSync(handle);
  }
}
