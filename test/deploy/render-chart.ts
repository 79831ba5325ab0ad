import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { filesBelow, readSource } from '../architecture/source-files.ts';
import { chartFunctions } from './go-template/chart-functions.ts';
import {
  evaluateTemplate,
  type Functions,
  printed,
  type Value,
  type ValueTree,
} from './go-template/evaluate-template.ts';
import { type ParsedTemplate, parseTemplate } from './go-template/parse-template.ts';

export const chartFolder = 'deploy/helm/muster';

/** What Helm reads once for all renderings. */
const chart = parse(readSource(`${chartFolder}/Chart.yaml`)) as Readonly<
  Record<'name' | 'version' | 'appVersion', string>
>; // chart.test.ts checks it
export const defaultValues = parse(readSource(`${chartFolder}/values.yaml`)) as ValueTree; // checked against the chart's schema below
const isValid = new Ajv({ strict: true, allowUnionTypes: true }).compile<ValueTree>(
  JSON.parse(readSource(`${chartFolder}/values.schema.json`)),
);
const chartTemplates = filesBelow(`${chartFolder}/templates`, ['.yaml', '.tpl', '.txt']).map((path) => ({
  name: path.slice(`${chartFolder}/templates/`.length),
  ...parseTemplate(readSource(path)),
}));
const definitions = new Map(chartTemplates.flatMap((template) => [...template.definitions]));

/**
 * What `helm template` would print, by the name of the template: the given values over the defaults, checked by the schema.
 * Templates that render nothing are left out.
 */
export function renderChart(
  given: ValueTree,
  release = 'muster',
  templates: readonly Pick<ParsedTemplate & { name: string }, 'name' | 'body'>[] = chartTemplates,
): Map<string, string> {
  const values = merged(defaultValues, given);
  if (!isValid(values)) throw new Error(`values.schema.json refuses: ${JSON.stringify(isValid.errors)}`);
  const root: ValueTree = {
    Values: values,
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
    Release: { Name: release, Namespace: 'telemetry', Service: 'Helm' },
    Files: { Get: (name = '') => readSource(`${chartFolder}/${printed(name)}`) },
  };
  const functions: Functions = {
    ...chartFunctions,
    include: (name = '', dot = null) => {
      const body = definitions.get(printed(name));
      if (body === undefined) throw new Error(`No template has this name: ${printed(name)}`);
      return evaluateTemplate(body, dot, functions);
    },
  };
  const rendered = templates
    .filter(({ name }) => !name.startsWith('_'))
    .map(({ name, body }) => [name, evaluateTemplate(body, root, functions)] as const);
  return new Map(rendered.filter(([, text]) => text.trim() !== ''));
}

/** Maps one by one, everything else as a whole, like Helm. */
function merged(defaults: ValueTree, given: ValueTree): ValueTree {
  const entries = Object.entries(given).map(([name, value]) => {
    const before = defaults[name];
    return [name, isTree(before) && isTree(value) ? merged(before, value) : value] as const;
  });
  return { ...defaults, ...Object.fromEntries(entries) };
}

const isTree = (value: Value | undefined): value is ValueTree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
