import type { PipelineSection } from './fluent-bit-pipeline.ts';

/** The classic format: a name in brackets, then one key and value per line. Values cannot span lines. */
export function toClassicFormat(sections: readonly PipelineSection[]): string {
  return sections.map(toClassicSection).join('\n');
}

/** The YAML format: a repeated key becomes a list. */
export function toYamlFormat(sections: readonly PipelineSection[]): string {
  const kinds = [...new Set(sections.map(({ kind }) => kind))];
  return ['pipeline:', ...kinds.flatMap((kind) => [`  ${kind}s:`, ...toYamlList(sections, kind)]), ''].join(
    '\n',
  );
}

/** Longer keys are not aligned with the values. */
const columnWidth = 9;

function toClassicSection({ kind, properties }: PipelineSection): string {
  const lengths = properties.map(([key]) => key.length).filter((length) => length <= columnWidth);
  const width = Math.max(0, ...lengths);
  const lines = properties.map(
    ([key, value]) => `    ${key.padEnd(width)} ${value.replaceAll(/\n\s*/g, ' ')}`,
  );
  return [`[${kind.toUpperCase()}]`, ...lines, ''].join('\n');
}

function toYamlList(sections: readonly PipelineSection[], kind: PipelineSection['kind']): string[] {
  return sections
    .filter((section) => section.kind === kind)
    .flatMap(({ properties }) => {
      const keys = [...new Set(properties.map(([key]) => key))];
      const lines = keys.flatMap((key) =>
        toYamlProperty(
          key,
          properties.flatMap(([name, value]) => (name === key ? [value] : [])),
        ),
      );
      return lines.map((line, index) => `${index === 0 ? '    - ' : '      '}${line}`);
    });
}

function toYamlProperty(key: string, values: readonly string[]): string[] {
  const [first = ''] = values;
  if (values.length > 1) return [`${key}:`, ...values.map((value) => `  - ${quoteForYaml(value)}`)];
  if (first.includes('\n')) return [`${key}: |`, ...first.split('\n').map((line) => `  ${line}`)];
  return [`${key}: ${quoteForYaml(first)}`];
}

/** Adds quotes only if the value would not be a valid plain scalar. */
function quoteForYaml(value: string): string {
  return /: | #|^[{[]/.test(value) ? `'${value.replaceAll("'", "''")}'` : value;
}
