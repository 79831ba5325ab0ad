import type { YamlNode } from '../reading/yaml-node.ts';
import { hasHidden } from '../variables.ts';

/** Writes YAML in blocks, as agents read it: JSON text would be refused. Every scalar is a text, and a key may come twice. */
export function writeYaml(node: YamlNode): string {
  if (node.kind === 'text') return `${quote(node.text)}\n`;
  return `${writeLines(node).join('\n')}\n`;
}

function writeLines(node: YamlNode): string[] {
  if (node.kind === 'text') return [quote(node.text)];
  if (node.kind === 'list') {
    if (node.items.length === 0) return ['[]'];
    return node.items.flatMap((item) => {
      const [first = '', ...rest] = item.kind === 'text' ? writeText(item.text) : writeLines(item);
      return [`- ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))];
    });
  }
  if (node.entries.length === 0) return ['{}'];
  return node.entries.flatMap(({ key, value }) => {
    const written = value.kind === 'text' ? writeText(value.text) : writeLines(value);
    const [first = '', ...rest] = written;
    const isInline = value.kind === 'text' || first === '[]' || first === '{}';
    const name = quote(key);
    return isInline
      ? [`${name}: ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))]
      : [`${name}:`, ...written.map((line) => (line === '' ? '' : `  ${line}`))];
  });
}

/** A literal block if its lines can be read again as they are, whatever replaces its variables. */
function writeText(text: string): string[] {
  const isBlock =
    /\n/.test(text) &&
    !hasHidden(text) &&
    !/[\r\t\0\u0085\u2028\u2029]|[ \t]\n|^[\s]|\n\n$|[^\x20-\uD7FF\uE000-\uFFFD\n]/.test(text);
  if (!isBlock) return [quote(text)];
  const lines = text.split('\n');
  return text.endsWith('\n') ? ['|', ...lines.slice(0, -1)] : ['|-', ...lines];
}

/** Plain if every parser of YAML reads the same text from it. JSON strings are YAML too. */
function quote(text: string): string {
  const isPlain =
    /^[A-Za-z0-9_./$*^\\(+~=<]/.test(text) &&
    /^[\x20-\x7E]+$/.test(text) &&
    !/^[*]|: |:$| #|\s$|^(?:\.\.\.|---)/.test(text) &&
    !/^(?:null|~|true|false|yes|no|on|off|=|<<)$/i.test(text);
  const isWord = /^(?:true|false|yes|no|on|off)$/i.test(text);
  return isPlain || isWord ? text : JSON.stringify(text);
}
