import { nearestName } from '@muster/contract';
import type { Finding, Place } from '../finding.ts';
import { type ReadConfig, textOf } from '../reading/config-section.ts';
import { isVariable } from '../variables.ts';

export interface FleetConfigFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A property that names a file which has to exist when the agent loads the configuration. */
interface Reference {
  readonly path: string;
  readonly place: Place;
}

/** Names that the agent gives to its own files in the folder where it puts the files of a fleet. */
const takenNames = /^(?:config\.ya?ml|header\..*|(?:new|cur|old)\..*|\d+\.(?:conf|ya?ml))$/i;
const maxNameLength = 128;

/** Names that are safe where the agent puts the files: it does not look at them. */
export function checkFileNames(files: readonly FleetConfigFile[]): Finding[] {
  const seen = new Set<string>();
  return files.flatMap(({ name }): Finding[] => {
    const reason = explainBadName(name);
    const isDouble = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    if (reason !== undefined) {
      return [
        {
          severity: 'error',
          code: 'bad_file_name',
          message: `The file name '${name}' ${reason}.`,
          remedy: 'Use letters, digits, dots, dashes and underscores, such as parsers.conf.',
          file: name,
        },
      ];
    }
    return isDouble
      ? [
          {
            severity: 'error',
            code: 'duplicate_file_name',
            message: `Two files have the name '${name}', if upper and lower case are the same.`,
            remedy: 'Rename one of them.',
            file: name,
          },
        ]
      : [];
  });
}

function explainBadName(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > maxNameLength) return `has more than ${maxNameLength} characters`;
  if (/[/\\]/.test(name)) return 'has a path';
  if (name.startsWith('.')) return 'starts with a dot';
  if (!/^[A-Za-z0-9._-]+$/.test(name)) return 'has a character that is not safe in every file system';
  return takenNames.test(name) ? 'is one that the agent uses itself' : undefined;
}

/** Files that the configuration names but the fleet does not have. Absolute paths are files of the host, which nobody here can see. */
export function checkReferences(config: ReadConfig, names: readonly string[]): Finding[] {
  return referencesOf(config).flatMap(({ path, place }): Finding[] => {
    if (isElsewhere(path) || names.includes(path)) return [];
    if (path.includes('*') && names.some((name) => matchesGlob(name, path))) return [];
    const nearest = nearestName(path, names);
    return [
      {
        severity: 'error',
        code: 'file_not_found',
        message: `The fleet has no file '${path}'.`,
        remedy:
          nearest === undefined
            ? 'Add the file to the fleet, or give the absolute path of a file that every host has.'
            : `Use '${nearest}'.`,
        ...place,
      },
    ];
  });
}

/** Files of the fleet that Fluent Bit reads as a part of the configuration, and as a file of parsers. */
export function readFilesOf({ sections, includes }: ReadConfig): {
  readonly included: string[];
  readonly parsers: string[];
} {
  return {
    included: includes.map(({ text }) => text.trim()),
    parsers: sections.flatMap(({ kind, properties }) =>
      kind === 'service'
        ? properties.flatMap(({ name, value }) => (name === 'parsers_file' && value ? [value] : []))
        : [],
    ),
  };
}

function referencesOf({ sections, includes }: ReadConfig): Reference[] {
  const named = sections.flatMap((section) => {
    if (section.kind !== 'service' && section.kind !== 'filter') return [];
    const isScript = textOf(section, 'name')?.toLowerCase() === 'lua';
    const names =
      section.kind === 'service'
        ? ['parsers_file', 'plugins_file', 'streams_file']
        : isScript
          ? ['script']
          : [];
    return section.properties.flatMap(({ name, value, place }) =>
      names.includes(name) && value !== undefined ? [{ path: value, place }] : [],
    );
  });
  return [...includes.map(({ text, place }) => ({ path: text.trim(), place })), ...named];
}

function isElsewhere(path: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:)/.test(path) || isVariable(path);
}

/** Only `*` has a meaning, as the names of files have no other signs. */
function matchesGlob(name: string, glob: string): boolean {
  const [first = '', ...rest] = glob.split('*');
  if (!name.startsWith(first)) return false;
  let from = first.length;
  for (const [index, part] of rest.entries()) {
    const isLast = index === rest.length - 1;
    const at = isLast ? name.length - part.length : name.indexOf(part, from);
    if (at < from || !name.startsWith(part, at)) return false;
    from = at + part.length;
  }
  return true;
}
