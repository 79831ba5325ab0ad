import { closeSync, fsyncSync, openSync } from 'node:fs';

export function syncFile(file: string): void {
  const handle = openSync(file, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Makes new names in a folder durable. */
export function syncFolder(folder: string): void {
  // Windows does not open folders; its file systems write names in order.
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
