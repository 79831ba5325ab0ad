import { closeSync, openSync, readSync } from 'node:fs';

/**
 * The content of a file, which may be a pipe, a link or a device without an end. Undefined if it is longer. Only `maxBytes` are read then.
 *
 * @throws the error of the file system
 */
export function readBoundedFile(path: string, maxBytes: number): Buffer | undefined {
  const handle = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(maxBytes + 1);
    let length = 0;
    // A pipe gives less than what is asked for, and then more.
    for (;;) {
      const count = readSync(handle, bytes, length, bytes.length - length, null);
      length += count;
      if (length > maxBytes) return undefined;
      if (count === 0) return bytes.subarray(0, length);
    }
  } finally {
    closeSync(handle);
  }
}
