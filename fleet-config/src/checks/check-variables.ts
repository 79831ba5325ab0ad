import { nearestName } from '@muster/contract';
import type { Finding, Place } from '../finding.ts';
import type { ReadConfig } from '../reading/config-section.ts';
import { LineStarts } from '../reading/line-starts.ts';
import { parseYaml } from '../reading/parse-yaml.ts';
import { readClassic } from '../reading/read-classic.ts';
import type { YamlNode } from '../reading/yaml-node.ts';
import {
  hasHidden,
  hiddenVariables,
  hideVariables,
  type Variable,
  variablePattern,
  variableScopes,
} from '../variables.ts';

/** The names of what is set. */
export interface KnownVariables {
  readonly vars: ReadonlySet<string>;
  /** Those of them that only some agents of the fleet have. */
  readonly partial: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
}

/** What is known of each agent. */
const agentVariables = ['name', 'machineID'] as const;

/** Where variables stand in a configuration. */
interface FoundVariables {
  /** In values of properties, where they are replaced. */
  readonly placed: readonly Variable[];
  /** Where a value could change what the rest of the configuration means. */
  readonly misplaced: readonly Place[];
}

/**
 * Variables that stand where they cannot, and those that nothing is known by.
 *
 * @param known undefined: what is set is not known here
 */
export function checkVariables(
  text: string,
  format: 'classic' | 'yaml',
  files: readonly string[],
  known: KnownVariables | undefined,
): Finding[] {
  if (!text.includes('{{')) return [];
  const { placed, misplaced } = findVariables(hideVariables(text), format);
  const used = new Set(placed.map(({ scope, name }) => `${scope}.${name}`));
  const lines = new LineStarts(text);
  const findings = misplaced.map(
    (place): Finding => ({
      severity: 'error',
      code: 'misplaced_variable',
      message: 'A variable stands where it could change what the configuration means.',
      remedy:
        'Use variables in values of properties only, and not in names of plugins, in code or in includes.',
      ...place,
    }),
  );
  for (const { 0: written, 1: scope = '', 2: name = '', index } of text.matchAll(variablePattern)) {
    if (!used.has(`${scope}.${name}`)) continue;
    const explained = explain({ scope, name }, files, known);
    if (explained === undefined) continue;
    const { severity, remedy, isKnown } = explained;
    const message = isKnown
      ? `Only some agents of the fleet have a value of ${written}: the others do not get this configuration.`
      : `Nothing is known by the name ${written}.`;
    findings.push({ severity, code: 'unknown_variable', message, remedy, ...lines.placeOf(index) });
  }
  return findings;
}

/** @param text with hidden variables */
export function findVariables(text: string, format: 'classic' | 'yaml'): FoundVariables {
  if (format === 'classic') return findInClassic(readClassic(text));
  const parsed = parseYaml(text);
  const found = { placed: [], misplaced: [] };
  if ('node' in parsed) findInYaml(parsed.node, found);
  return found;
}

/** Values of which an agent makes more than a text: the name of a plugin, a program, or the path of a further configuration. */
const fixedProperties = new Set(['name', 'code', 'includes']);

function findInClassic({ sections, includes, variables }: ReadConfig): FoundVariables {
  const placed: Variable[] = [];
  const misplaced: Place[] = [];
  for (const { written, place, properties } of sections) {
    if (hasHidden(written)) misplaced.push(place);
    for (const { name, written: key, value = '', place: at } of properties) {
      if (hasHidden(key) || (fixedProperties.has(name) && hasHidden(value))) misplaced.push(at);
      else placed.push(...hiddenVariables(value));
    }
  }
  for (const { text, place } of includes) if (hasHidden(text)) misplaced.push(place);
  for (const [name, value] of variables)
    if (hasHidden(name) || hasHidden(value)) misplaced.push({ line: 1, column: 1 });
  return { placed, misplaced };
}

function findInYaml(
  node: YamlNode,
  found: { readonly placed: Variable[]; readonly misplaced: Place[] },
  isFixed = false,
): void {
  if (node.kind === 'text') {
    if (isFixed && hasHidden(node.text)) found.misplaced.push(node.place);
    else found.placed.push(...hiddenVariables(node.text));
    return;
  }
  if (node.kind === 'list') {
    for (const item of node.items) findInYaml(item, found, isFixed);
    return;
  }
  for (const { key, place, value } of node.entries) {
    if (hasHidden(key)) found.misplaced.push(place);
    findInYaml(value, found, isFixed || fixedProperties.has(key.toLowerCase()));
  }
}

interface Explained {
  readonly severity: Finding['severity'];
  readonly remedy: string;
  /** For some agents. */
  readonly isKnown: boolean;
}

function explain(
  { scope, name }: Variable,
  files: readonly string[],
  known: KnownVariables | undefined,
): Explained | undefined {
  const names = namesOf(scope, files, known);
  if (names === 'unseen') return undefined;
  if (names === undefined) {
    const nearest = nearestName(scope, variableScopes);
    return unknown(nearest === undefined ? undefined : `${nearest}.${name}`);
  }
  if (!names.includes(name)) {
    const nearest = nearestName(name, names);
    return unknown(nearest === undefined ? undefined : `${scope}.${nearest}`);
  }
  if (scope !== 'vars' || !known?.partial.has(name)) return undefined;
  return { severity: 'warning', remedy: 'Set a value for the whole fleet too.', isKnown: true };
}

function unknown(nearest: string | undefined): Explained {
  const remedy = nearest === undefined ? 'Set it, or remove it.' : `Use {{${nearest}}}.`;
  return { severity: 'error', remedy, isKnown: false };
}

/** `unseen`: any name may exist. Undefined: there is no such scope. */
function namesOf(
  scope: string,
  files: readonly string[],
  known: KnownVariables | undefined,
): readonly string[] | 'unseen' | undefined {
  if (scope === 'agent') return agentVariables;
  if (scope === 'files') return files;
  if (scope !== 'vars' && scope !== 'secrets') return undefined;
  return known === undefined ? 'unseen' : [...known[scope]];
}
