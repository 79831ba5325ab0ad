import { maxFleetFileBytes, maxFleetFiles, maxFleetFilesBytes } from '@muster/contract';
import { invalidBody, Refusal } from '../../foundation/refusal.ts';

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The bytes of a file. Agents read standard Base64 with padding alone, and so does this. @throws Refusal invalid_body, fleet_file_too_large */
export function readFileContents(contents: string, path: string): Uint8Array {
  if (!base64.test(contents)) {
    throw invalidBody([
      { path, message: 'must be standard Base64 with padding, such as the output of: base64 -w0 FILE' },
    ]);
  }
  const bytes = Buffer.from(contents, 'base64');
  if (bytes.length > maxFleetFileBytes) {
    throw new Refusal('fleet_file_too_large', {
      detail: `The file has ${bytes.length} bytes, and at most ${maxFleetFileBytes} are allowed.`,
      fields: [{ path, message: `must have at most ${maxFleetFileBytes} bytes` }],
    });
  }
  return bytes;
}

/** @throws Refusal fleet_files_quota_exceeded */
export function requireFileRoom(files: readonly { readonly bytes: number }[]): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (files.length <= maxFleetFiles && bytes <= maxFleetFilesBytes) return;
  throw new Refusal('fleet_files_quota_exceeded', {
    detail: `The fleet would have ${files.length} files with ${bytes} bytes. At most ${maxFleetFiles} files with ${maxFleetFilesBytes} bytes are allowed: remove or shorten some.`,
  });
}
