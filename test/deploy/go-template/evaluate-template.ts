import type { Operand, Pipeline, TemplateNode } from './parse-template.ts';

/** What values are made of, and what `.Files.Get` is. */
export type Value = string | number | boolean | null | readonly Value[] | ValueTree | Method;
export interface ValueTree {
  readonly [name: string]: Value;
}
type Method = (...given: readonly Value[]) => Value;

/** The functions that templates may call, by name. */
export type Functions = Readonly<Record<string, Method>>;

interface Scope {
  readonly dot: Value;
  readonly variables: ReadonlyMap<string, Value>;
  readonly functions: Functions;
}

/** The text of a parsed template. Throws on functions and values that do not exist. */
export function evaluateTemplate(body: readonly TemplateNode[], dot: Value, functions: Functions): string {
  return evaluateBody(body, { dot, variables: new Map([['', dot]]), functions });
}

/** As Go sees it: empty texts, lists and maps are false. */
export function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** As Go prints it. Lists and maps are refused: Go prints them, but in no form that a chart needs. */
export function printed(value: Value): string {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Math.abs(value) < 1e21) return String(value);
  throw new Error(`Cannot be printed: ${JSON.stringify(value) ?? 'a function'}`);
}

function evaluateBody(body: readonly TemplateNode[], outside: Scope): string {
  let scope = outside;
  let text = '';
  for (const node of body) {
    if (node.kind === 'declare') {
      const value = evaluatePipeline(node.value, scope);
      scope = { ...scope, variables: new Map([...scope.variables, [node.variable, value]]) };
    } else text += evaluateNode(node, scope);
  }
  return text;
}

function evaluateNode(node: Exclude<TemplateNode, { kind: 'declare' }>, scope: Scope): string {
  if (node.kind === 'text') return node.text;
  const value = evaluatePipeline(node.value, scope);
  switch (node.kind) {
    case 'print':
      return printed(value);
    case 'if':
      return evaluateBody(isTrue(value) ? node.body : node.otherwise, scope);
    case 'with':
      return isTrue(value)
        ? evaluateBody(node.body, { ...scope, dot: value })
        : evaluateBody(node.otherwise, scope);
    case 'range':
      return entriesOf(value)
        .map(([key, item]) => evaluateBody(node.body, scopeOfItem(node.variables, key, item, scope)))
        .join('');
  }
}

/** Maps in the order of their keys. */
function entriesOf(value: Value): (readonly [Value, Value])[] {
  if (Array.isArray(value)) return value.map((item: Value, index) => [index, item] as const);
  if (typeof value !== 'object' || value === null) throw new Error(`No list or map: ${printed(value)}`);
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** One variable is the item, two are its key and the item. */
function scopeOfItem(names: readonly string[], key: Value, item: Value, scope: Scope): Scope {
  const values = names.length === 2 ? [key, item] : [item];
  const declared = names.map((name, index) => [name, values[index] ?? null] as const);
  return { ...scope, dot: item, variables: new Map([...scope.variables, ...declared]) };
}

/** Each command gets the value of the one before it as its last argument. */
function evaluatePipeline(pipeline: Pipeline, scope: Scope): Value {
  const [first, ...rest] = pipeline;
  if (first === undefined) throw new Error('A pipeline without commands');
  return rest.reduce<Value>(
    (before, command) => evaluateCommand(command, [before], scope),
    evaluateCommand(first, [], scope),
  );
}

function evaluateCommand(
  [head, ...operands]: Pipeline[number],
  piped: readonly Value[],
  scope: Scope,
): Value {
  const given = [...operands.map((operand) => evaluateOperand(operand, scope)), ...piped];
  const called = head.kind === 'word' ? functionNamed(head.text, scope) : evaluateOperand(head, scope);
  if (typeof called === 'function') return called(...given);
  if (given.length > 0) throw new Error(`Not a function: ${JSON.stringify(head)}`);
  return called;
}

function functionNamed(name: string, { functions }: Scope): Method {
  const found = functions[name];
  if (found === undefined) throw new Error(`Unknown function: ${name}`);
  return found;
}

function evaluateOperand(operand: Operand, scope: Scope): Value {
  switch (operand.kind) {
    case 'literal':
      return operand.value;
    case 'word':
      throw new Error(`A function as an argument: ${operand.text}`);
    case 'pipeline':
      return evaluatePipeline(operand.commands, scope);
    case 'field':
      return operand.names.reduce(childOf, scope.dot);
    case 'variable': {
      const value = scope.variables.get(operand.name);
      if (value === undefined) throw new Error(`Unknown variable: $${operand.name}`);
      return operand.names.reduce(childOf, value);
    }
  }
}

/** Stricter than Helm, where a missing value is empty: a misspelled name is found. */
function childOf(tree: Value, name: string): Value {
  const isTree = typeof tree === 'object' && tree !== null && !Array.isArray(tree);
  const child = isTree ? (tree as ValueTree)[name] : undefined; // narrowed to it, but for readonly lists
  if (child === undefined) throw new Error(`No value: ${name}`);
  return child;
}
