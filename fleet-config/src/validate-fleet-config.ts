import { checkFileNames, checkReferences, type FleetConfigFile, readFilesOf } from './checks/check-files.ts';
import { checkPlugins } from './checks/check-plugins.ts';
import { checkSections, type SectionHolder } from './checks/check-sections.ts';
import { checkVariables, type KnownVariables } from './checks/check-variables.ts';
import { type Finding, inFile } from './finding.ts';
import type { ReadConfig } from './reading/config-section.ts';
import { readClassic } from './reading/read-classic.ts';
import { readYaml } from './reading/read-yaml.ts';
import type { FluentBitSchema } from './schema/fluent-bit-schema.ts';
import { hideVariables } from './variables.ts';

export type ConfigFormat = 'classic' | 'yaml' | 'json';

export interface FleetConfig {
  readonly rawConfig: string;
  readonly configFormat: ConfigFormat;
  readonly files: readonly FleetConfigFile[];
  /** The lowest version that its agents have; empty if that is unknown. */
  readonly minFluentBitVersion: string;
  /** Whether unknown plugins and properties are warnings: agents can have plugins that no schema knows. */
  readonly skipNames?: boolean;
  /** What is set for the fleet. Absent: that is not known, and any name is accepted. */
  readonly variables?: KnownVariables;
}

/** What an agent accepts as a reply, of the configuration and of all files together. */
const maxBytes = 10 * 1024 * 1024;
const maxFindings = 100;

/** What keeps an agent from loading a configuration, and what it ignores silently. Sorted by place, the configuration before its files. */
export function validateFleetConfig(config: FleetConfig, schema: FluentBitSchema): Finding[] {
  const findings = [...checkSize(config), ...checkFileNames(config.files)];
  if (findings.length === 0) findings.push(...checkContent(config, schema));
  return limitFindings(findings.map((finding) => ease(finding, config, schema)).sort(byPlace));
}

function checkSize({ rawConfig, files }: FleetConfig): Finding[] {
  // A character of UTF-16 has three bytes at the most; only what could be too large is counted.
  const configBytes =
    rawConfig.length * 3 > maxBytes ? new TextEncoder().encode(rawConfig).length : rawConfig.length;
  // Base64 is a third longer.
  const fileBytes = files.reduce((sum, { bytes }) => sum + Math.ceil(bytes.length / 3) * 4, 0);
  const tooLarge = (what: string): Finding => ({
    severity: 'error',
    code: 'too_large',
    message: `${what} more than 10 MiB, which no agent accepts.`,
    remedy: 'Make it smaller.',
  });
  return [
    ...(configBytes > maxBytes ? [tooLarge('The configuration has')] : []),
    ...(fileBytes > maxBytes ? [tooLarge('The files have together, in base64,')] : []),
  ];
}

function checkContent(config: FleetConfig, schema: FluentBitSchema): Finding[] {
  const { rawConfig, configFormat, files, variables } = config;
  const broken = checkText(rawConfig, configFormat);
  if (broken !== undefined) return [broken];
  const names = files.map(({ name }) => name);
  const main = readAs(rawConfig, configFormat === 'classic' ? 'classic' : 'yaml');
  const holder = configFormat === 'classic' ? 'classic' : 'yaml';
  const { included, parsers } = readFilesOf(main);
  const further = files.flatMap((file) => {
    const isIncluded = included.some((path) => path === file.name);
    if (!isIncluded && !parsers.includes(file.name)) return [];
    return inFile(
      checkFile(file, isIncluded ? holderOf(file.name, holder) : 'parsers file', schema, names),
      file.name,
    );
  });
  const isEmpty = main.findings.length === 0 && main.sections.length === 0 && main.includes.length === 0;
  return [
    ...(isEmpty ? [nothingToRun] : []),
    ...checkParts(main, holder, schema, names),
    ...checkVariables(rawConfig, holder, names, variables),
    ...further,
  ];
}

const nothingToRun: Finding = {
  severity: 'error',
  code: 'empty',
  message: 'The configuration is empty, and an agent refuses an empty one.',
  remedy: 'Add an input and an output.',
};

/** What the agent cannot read at all. */
function checkText(text: string, format: ConfigFormat): Finding | undefined {
  const place = { line: 1, column: 1 };
  if (text.startsWith('\uFEFF')) {
    return {
      severity: 'error',
      code: 'byte_order_mark',
      message: 'The text starts with a byte order mark, which the agent does not understand.',
      remedy: 'Save it as UTF-8 without BOM.',
      ...place,
    };
  }
  if (text.includes('\0')) {
    return {
      severity: 'error',
      code: 'not_utf8',
      message: 'The text has a NUL character, at which the agent stops reading.',
      remedy: 'Save it as UTF-8.',
      ...place,
    };
  }
  if (format === 'yaml' && /^\s*[{[](?!\{)/.test(text)) {
    return {
      severity: 'error',
      code: 'json_as_yaml',
      message: 'This is JSON, but its format is given as YAML, and agents read no JSON.',
      remedy: "Set the format to 'json': agents then get it as YAML.",
      ...place,
    };
  }
  return undefined;
}

function checkFile(
  { bytes }: FleetConfigFile,
  holder: SectionHolder,
  schema: FluentBitSchema,
  names: readonly string[],
): Finding[] {
  const text = readUtf8(bytes);
  if (text === undefined) {
    return [
      {
        severity: 'error',
        code: 'not_utf8',
        message: 'Fluent Bit reads this file as a part of the configuration, but it is not UTF-8.',
        remedy: 'Save it as UTF-8.',
      },
    ];
  }
  const broken = checkText(text, holder === 'yaml' ? 'yaml' : 'classic');
  if (broken !== undefined) return [broken];
  const isYaml =
    holder === 'yaml' || (holder === 'parsers file' && /^\s*(?:parsers|multiline_parsers):/m.test(text));
  return checkParts(readAs(text, isYaml ? 'yaml' : 'classic'), holder, schema, names);
}

function checkParts(
  read: ReadConfig,
  holder: SectionHolder,
  schema: FluentBitSchema,
  names: readonly string[],
): Finding[] {
  return [
    ...read.findings,
    ...checkSections(read, holder),
    // A property that seems to be missing can be in a line that cannot be read.
    ...checkPlugins(read, schema).filter(
      ({ code }) => read.findings.length === 0 || code !== 'missing_property',
    ),
    ...checkReferences(read, names),
  ];
}

function readAs(text: string, format: 'classic' | 'yaml'): ReadConfig {
  const readable = hideVariables(text);
  return format === 'classic' ? readClassic(readable) : readYaml(readable);
}

/** A configuration of one format can include a file of the other one. */
function holderOf(name: string, holder: 'classic' | 'yaml'): 'classic' | 'yaml' {
  return /\.ya?ml$/i.test(name) ? 'yaml' : /\.conf$/i.test(name) ? 'classic' : holder;
}

function readUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Names are doubtful where agents can be newer than the schema. */
function ease(
  finding: Finding,
  { skipNames, minFluentBitVersion }: FleetConfig,
  schema: FluentBitSchema,
): Finding {
  if (finding.code !== 'unknown_plugin' && finding.code !== 'unknown_property') return finding;
  return skipNames === true || isNewer(minFluentBitVersion, schema.version)
    ? { ...finding, severity: 'warning' }
    : finding;
}

function isNewer(version: string, known: string): boolean {
  const [one, other] = [version, known].map((text) => text.replace(/^v/, '').split('.').map(Number));
  for (const index of [0, 1, 2]) {
    const difference = (one?.[index] ?? 0) - (other?.[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

type PlacedFinding = {
  readonly [Name in 'severity' | 'file' | 'line' | 'column']?: Finding[Name] | undefined;
};

function byPlace(one: PlacedFinding, other: PlacedFinding): number {
  return (
    Number(one.file !== undefined) - Number(other.file !== undefined) ||
    (one.file ?? '').localeCompare(other.file ?? '') ||
    (one.line ?? 0) - (other.line ?? 0) ||
    (one.column ?? 0) - (other.column ?? 0)
  );
}

/** The first hundred, and how many more there are: what is wrong in one way is often wrong everywhere. Errors go first. */
export function limitFindings<One extends PlacedFinding>(findings: readonly One[]): (One | Finding)[] {
  if (findings.length <= maxFindings) return [...findings];
  const ofSeverity = (severity: Finding['severity']) => findings.filter((one) => one.severity === severity);
  return [
    ...[...ofSeverity('error'), ...ofSeverity('warning')].slice(0, maxFindings).sort(byPlace),
    {
      severity: 'warning',
      code: 'too_many_findings',
      message: `There are ${findings.length - maxFindings} more findings.`,
      remedy: 'Correct these first.',
    },
  ];
}
