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

interface Chart {
  readonly defaultValues: ValueTree;
  /**
   * What `helm template` would print, by the name of the template: the given values over the defaults, checked by the schema.
   * Templates that render nothing are left out.
   */
  render(
    given: ValueTree,
    release?: string,
    templates?: readonly Pick<ParsedTemplate & { name: string }, 'name' | 'body'>[],
  ): Map<string, string>;
}

/** Reads a chart once for all renderings. */
export function readChart(folder: string): Chart {
  const chart = parse(readSource(`${folder}/Chart.yaml`)) as Readonly<
    Record<'name' | 'version' | 'appVersion', string>
  >; // chart.test.ts checks it
  const defaultValues = parse(readSource(`${folder}/values.yaml`)) as ValueTree; // checked against the chart's schema below
  const isValid = new Ajv({ strict: true, allowUnionTypes: true }).compile<ValueTree>(
    JSON.parse(readSource(`${folder}/values.schema.json`)),
  );
  const chartTemplates = filesBelow(`${folder}/templates`, ['.yaml', '.tpl', '.txt']).map((path) => ({
    name: path.slice(`${folder}/templates/`.length),
    ...parseTemplate(readSource(path)),
  }));
  const definitions = new Map(chartTemplates.flatMap((template) => [...template.definitions]));
  return {
    defaultValues,
    render(given, release = 'muster', templates = chartTemplates) {
      const values = merged(defaultValues, given);
      if (!isValid(values)) throw new Error(`values.schema.json refuses: ${JSON.stringify(isValid.errors)}`);
      const root: ValueTree = {
        Values: values,
        Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
        Release: { Name: release, Namespace: 'telemetry', Service: 'Helm' },
        Files: { Get: (name = '') => readSource(`${folder}/${printed(name)}`) },
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
    },
  };
}

/** The chart of the service. */
export const { defaultValues, render: renderChart } = readChart(chartFolder);

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
