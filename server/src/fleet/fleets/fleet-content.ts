import { hash } from 'node:crypto';
import type { FleetConfigFormat } from '@muster/contract';

/** A file as a version names it; its bytes are stored by their digest. */
export interface FileOfVersion {
  readonly name: string;
  /** SHA-256 of its bytes, in hexadecimal digits. */
  readonly digest: string;
  readonly bytes: number;
}

/** What a version is made of. */
export interface FleetContent {
  readonly rawConfig: string;
  readonly configFormat: FleetConfigFormat;
  /** In the order of their names. */
  readonly files: readonly FileOfVersion[];
}

/** The files of a version as it is stored. */
export function filesOf(version: { readonly files: string } | undefined): readonly FileOfVersion[] {
  // Written by the service alone.
  return version === undefined ? [] : (JSON.parse(version.files) as FileOfVersion[]);
}

/** Two contents with the same digest are the same version. */
export function digestOfContent({ rawConfig, configFormat, files }: FleetContent): string {
  return hash(
    'sha256',
    JSON.stringify([configFormat, rawConfig, files.map(({ name, digest }) => [name, digest])]),
  );
}

export function fileOf(name: string, bytes: Uint8Array): FileOfVersion {
  return { name, digest: hash('sha256', bytes), bytes: bytes.length };
}

export function inOrderOfNames(files: readonly FileOfVersion[]): FileOfVersion[] {
  return files.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** The names of files by which two versions differ. */
export function compareFiles(from: readonly FileOfVersion[], to: readonly FileOfVersion[]) {
  const before = new Map(from.map(({ name, digest }) => [name, digest]));
  const after = new Map(to.map(({ name, digest }) => [name, digest]));
  return {
    addedFiles: to.flatMap(({ name }) => (before.has(name) ? [] : [name])),
    changedFiles: to.flatMap(({ name, digest }) =>
      before.has(name) && before.get(name) !== digest ? [name] : [],
    ),
    removedFiles: from.flatMap(({ name }) => (after.has(name) ? [] : [name])),
  };
}
