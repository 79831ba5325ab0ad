import { dirname, extname, isAbsolute, resolve } from 'node:path';
import {
  type ApplyProvisioning,
  fleetConfigFormatOf,
  isProvisionableToken,
  maxFleetConfigBytes,
  maxProvisionedItems,
  type ProblemField,
  ProvisionFile,
  readProjectToken,
} from '@muster/contract';
import { explainSchemaFault } from '@muster/http/requests/explain-schema-fault';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Document, isMap, isNode, Lexer, LineCounter, parseDocument } from 'yaml';
import { readBoundedFile } from '../../foundation/read-bounded-file.ts';
import { ConfigError } from '../../foundation/settings/config.ts';

/** A provisioning file, with the values of its tokens. */
export interface ReadProvisionFile {
  readonly request: ApplyProvisioning;
  /** A sentence for each fault, with the line of the file to which its path leads. */
  explain(faults: readonly ProblemField[]): string[];
}

/** Where the value of a token is: one of the two. */
interface ValuePlace {
  readonly valueFile: string | undefined;
  readonly valueVariable: string | undefined;
}

/** More is no list of projects, members, tokens and fleets. */
const maxFileBytes = 4 * 1024 * 1024;
const maxValueBytes = 4_096;
/** Parts of YAML syntax, about five for each value. More is no file with the number of entries that is allowed, and would take long to parse. */
const maxLexemes = 400_000;
/** A file that is wrong in one way is often wrong everywhere. */
const maxShownFaults = 100;

const ajv = new Ajv2020({
  allErrors: true,
  allowUnionTypes: true,
  formats: { uuid: true, 'date-time': true },
  strict: true,
});

/**
 * Reads a provisioning file in YAML 1.2 or JSON, and the values of its tokens from the files and variables that it names.
 *
 * @throws ConfigError with all faults, one sentence with file and line each. No sentence contains a value.
 */
export function readProvisionFile(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): ReadProvisionFile {
  const lines = new LineCounter();
  const text = readText(path, maxFileBytes);
  if (typeof text !== 'string') throw new ConfigError([`${path}: the provisioning file ${text.fault}.`]);
  if (hasTooManyLexemes(text)) {
    throw new ConfigError([
      `${path}: the provisioning file has too many values. At most ${maxProvisionedItems} projects, members, tokens and fleets fit into one file: make several of it.`,
    ]);
  }
  // The messages of pretty errors quote the text.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0) {
    throw new ConfigError(
      firstOf(
        broken.map(
          ({ code, pos }) =>
            `${path}:${lines.linePos(pos[0]).line}: this is not valid YAML: ${code.toLowerCase().replaceAll('_', ' ')}.`,
        ),
      ),
    );
  }
  const explain = (faults: readonly ProblemField[]) =>
    faults.map(({ path: sent, message }) => {
      const pointer = inFile(document, sent);
      return `${path}:${lineOf(document, lines, pointer)}: ${nameOf(pointer)} ${message}${/[.?]$/.test(message) ? '' : '.'}`;
    });
  const refuse = (faults: readonly ProblemField[]) => {
    if (faults.length > 0) throw new ConfigError(firstOf(explain(faults)));
  };
  const content = toValue(document, path);
  refuse(schemaFaults(content));
  const file = content as ProvisionFile; // the schema has accepted it
  const faults: ProblemField[] = [];
  const request = {
    projects: file.projects.map(({ tokens, fleets, ...project }, place) => ({
      ...project,
      ...(fleets !== undefined && {
        fleets: fleets.map(({ rawConfig, configFile, ...fleet }, fleetPlace) => ({
          ...(configFile !== undefined && {
            configFormat: fleetConfigFormatOf(extname(configFile).slice(1)) ?? null,
          }),
          ...fleet,
          rawConfig: readConfig(
            { rawConfig, configFile },
            { folder: dirname(path), pointer: `/projects/${place}/fleets/${fleetPlace}`, faults },
          ),
        })),
      }),
      ...(tokens !== undefined && {
        tokens: tokens.map(({ valueFile, valueVariable, ...token }, tokenPlace) => ({
          ...token,
          value: readValue(
            { valueFile, valueVariable },
            { env, folder: dirname(path), pointer: `/projects/${place}/tokens/${tokenPlace}`, faults },
          ),
        })),
      }),
    })),
  };
  refuse(faults);
  return { request, explain };
}

function hasTooManyLexemes(text: string): boolean {
  let count = 0;
  for (const _ of new Lexer().lex(text)) {
    count += 1;
    if (count > maxLexemes) return true;
  }
  return false;
}

function firstOf(sentences: readonly string[]): readonly string[] {
  const rest = sentences.length - maxShownFaults;
  return rest > 0 ? [...sentences.slice(0, maxShownFaults), `There are ${rest} more faults.`] : sentences;
}

function schemaFaults(content: unknown): ProblemField[] {
  const validate = ajv.compile(ProvisionFile);
  return validate(content)
    ? []
    : (validate.errors ?? []).map((error) => explainSchemaFault(error, ProvisionFile));
}

/** Aliases could make a small file a huge value. */
function toValue(document: Document.Parsed, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    throw new ConfigError([`${path}: its aliases cannot be resolved: write the values out.`]);
  }
}

interface ValueReading {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly pointer: string;
  readonly faults: ProblemField[];
}

/** The value of a token; empty with a fault. */
function readValue(
  { valueFile, valueVariable }: ValuePlace,
  { env, folder, pointer, faults }: ValueReading,
): string {
  const fault = (field: string, message: string) => {
    faults.push({ path: `${pointer}${field}`, message });
    return '';
  };
  if ((valueFile === undefined) === (valueVariable === undefined)) {
    return fault('', 'needs the value of the token: give one of valueFile and valueVariable');
  }
  const field = valueFile === undefined ? '/valueVariable' : '/valueFile';
  const read =
    valueFile === undefined
      ? (env[valueVariable ?? ''] ?? { fault: `is not set in the environment: '${valueVariable}'` })
      : readText(isAbsolute(valueFile) ? valueFile : resolve(folder, valueFile), maxValueBytes);
  if (typeof read !== 'string') return fault(field, read.fault);
  const value = read.trim();
  if (isProvisionableToken(value)) return value;
  return fault(
    field,
    readProjectToken(value) === undefined
      ? "does not contain a complete project token: make one with 'muster token generate'"
      : "contains a token whose ids are not UUIDv7: make one with 'muster token generate'",
  );
}

/** The configuration of a fleet; empty with a fault. */
function readConfig(
  {
    rawConfig,
    configFile,
  }: { readonly rawConfig: string | undefined; readonly configFile: string | undefined },
  { folder, pointer, faults }: Omit<ValueReading, 'env'>,
): string {
  const fault = (field: string, message: string) => {
    faults.push({ path: `${pointer}${field}`, message });
    return '';
  };
  if ((rawConfig === undefined) === (configFile === undefined))
    return fault('', 'needs a configuration: give one of rawConfig and configFile');
  if (configFile === undefined) return rawConfig ?? '';
  const read = readText(
    isAbsolute(configFile) ? configFile : resolve(folder, configFile),
    maxFleetConfigBytes,
  );
  return typeof read === 'string' ? read : fault('/configFile', read.fault);
}

function readText(path: string, maxBytes: number): string | { readonly fault: string } {
  let bytes: Buffer | undefined;
  try {
    bytes = readBoundedFile(path, maxBytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // only the file system throws here
    const reason =
      code === 'ENOENT'
        ? 'it does not exist'
        : code === 'EACCES'
          ? 'this user may not read it'
          : code === 'EISDIR'
            ? 'it is a folder'
            : code;
    return { fault: `cannot be read: '${path}': ${reason}` };
  }
  if (bytes === undefined) return { fault: `is larger than ${maxBytes} bytes: '${path}'` };
  return bytes.toString('utf8');
}

/** Where a file has what a request has there: the configuration of a fleet can be in a file of its own. */
function inFile(document: Document.Parsed, pointer: string): string {
  const there = pointer.replace(/(\/fleets\/\d+\/)rawConfig$/, '$1configFile');
  return document.hasIn(stepsOf(there)) ? there : pointer;
}

/** The line of a JSON pointer, or of the nearest thing around it that exists. */
function lineOf(document: Document.Parsed, lines: LineCounter, pointer: string): number {
  const steps = stepsOf(pointer);
  for (let count = steps.length; count > 0; count -= 1) {
    const at = startOf(document, steps.slice(0, count));
    if (at !== undefined) return lines.linePos(at).line;
  }
  return 1;
}

/** Of an entry of a map, its key. */
function startOf(document: Document.Parsed, steps: readonly string[]): number | undefined {
  const parent = document.getIn(steps.slice(0, -1), true);
  const last = steps.at(-1) ?? '';
  const pair = isMap(parent)
    ? parent.items.find(({ key }) => isNode(key) && String(key) === last)
    : undefined;
  const node = pair === undefined ? document.getIn(steps, true) : pair.key;
  return isNode(node) ? (node.range?.[0] ?? undefined) : undefined;
}

function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** `projects[0].tokens[1].name` of `/projects/0/tokens/1/name`. */
function nameOf(pointer: string): string {
  const name = stepsOf(pointer)
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join('');
  return name === '' ? 'the file' : name.replace(/^\./, '');
}
