import type { CreateFleetVersion, FleetFile } from '@muster/client';
import { decodeText, encodeText } from './base64-text.ts';

type ConfigFormat = 'classic' | 'yaml' | 'json';

/** A version that somebody writes. */
export interface Draft {
  /** The version that it began with. Null: the fleet had none. */
  readonly fromID: string | null;
  /** Of the newest version when the draft was begun. 0: there was none. */
  readonly newestNumber: number;
  readonly rawConfig: string;
  readonly configFormat: ConfigFormat;
  readonly files: readonly DraftFile[];
  readonly note: string;
}

export interface DraftFile {
  readonly name: string;
  /** Base64. */
  readonly contents: string;
}

/** Where drafts are kept: the storage of one tab, which ends with it. */
type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** @returns undefined: there is none, or what is there is none of ours */
export function readDraft(storage: DraftStorage, fleetID: string): Draft | undefined {
  try {
    const draft: unknown = JSON.parse(storage.getItem(keyOf(fleetID)) ?? 'null');
    return isDraft(draft) ? draft : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a draft if there is room for it. */
export function keepDraft(storage: DraftStorage, fleetID: string, draft: Draft): void {
  try {
    storage.setItem(keyOf(fleetID), JSON.stringify(draft));
  } catch {
    // It lives on in the page. An older one would be restored in its place.
    storage.removeItem(keyOf(fleetID));
  }
}

export function forgetDraft(storage: DraftStorage, fleetID: string): void {
  storage.removeItem(keyOf(fleetID));
}

function keyOf(fleetID: string): string {
  return `muster.draft.${fleetID}`;
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null) return false;
  const { fromID, newestNumber, rawConfig, configFormat, files, note } = value as Partial<Draft>; // checked in the next lines
  return (
    (fromID === null || typeof fromID === 'string') &&
    typeof newestNumber === 'number' &&
    typeof rawConfig === 'string' &&
    (configFormat === 'classic' || configFormat === 'yaml' || configFormat === 'json') &&
    typeof note === 'string' &&
    Array.isArray(files) &&
    files.every(({ name, contents }) => typeof name === 'string' && typeof contents === 'string')
  );
}

/** The files of a fleet as a draft has them. */
export function draftFiles(files: readonly FleetFile[]): DraftFile[] {
  return files.map(({ name, contents }) => ({ name, contents }));
}

/** The text of a file; undefined if it is none. */
export function textOf({ contents }: DraftFile): string | undefined {
  return decodeText(contents);
}

export function withText(files: readonly DraftFile[], name: string, text: string): DraftFile[] {
  return files.map((file) => (file.name === name ? { name, contents: encodeText(text) } : file));
}

export function hasSameFiles(one: readonly DraftFile[], other: readonly DraftFile[]): boolean {
  const contents = new Map(other.map((file) => [file.name, file.contents]));
  return one.length === other.length && one.every((file) => contents.get(file.name) === file.contents);
}

/** As the service takes it. @param stored the files that the fleet has, which are not sent again if they are the same */
export function bodyOf(
  { rawConfig, configFormat, files, note }: Draft,
  stored: readonly DraftFile[],
  skipsUnknown: boolean,
): CreateFleetVersion {
  return {
    rawConfig,
    configFormat,
    ...(hasSameFiles(files, stored) ? {} : { files: [...files] }),
    ...(note.trim() === '' ? {} : { note: note.trim() }),
    ...(skipsUnknown ? { skipConfigValidation: true } : {}),
  };
}
