import { lexTemplate, type Piece, type Token } from './lex-template.ts';

/** An operand of a command. A pipeline in parentheses is one too. */
export type Operand =
  | Exclude<Token, { kind: 'mark' }>
  | { readonly kind: 'pipeline'; readonly commands: Pipeline };
export type Pipeline = readonly (readonly [Operand, ...Operand[]])[];

export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly value: Pipeline }
  | { readonly kind: 'declare'; readonly variable: string; readonly value: Pipeline }
  | {
      readonly kind: 'if' | 'with';
      readonly value: Pipeline;
      readonly body: readonly TemplateNode[];
      readonly otherwise: readonly TemplateNode[];
    }
  | {
      readonly kind: 'range';
      readonly variables: readonly string[];
      readonly value: Pipeline;
      readonly body: readonly TemplateNode[];
    };

export interface ParsedTemplate {
  readonly body: readonly TemplateNode[];
  /** What `define` names. */
  readonly definitions: ReadonlyMap<string, readonly TemplateNode[]>;
}

/** Parses the part of Go's templates that the chart uses, and throws on everything else. */
export function parseTemplate(source: string): ParsedTemplate {
  const pieces = lexTemplate(source)[Symbol.iterator]();
  const definitions = new Map<string, readonly TemplateNode[]>();
  const { body, end } = parseBody(pieces, definitions);
  if (end !== undefined) throw new Error(`Nothing to end: ${end}`);
  return { body, definitions };
}

type Pieces = IterableIterator<Piece>;
type Definitions = Map<string, readonly TemplateNode[]>;

/** Up to the `end` or `else` of the block, or the end of the template. */
function parseBody(pieces: Pieces, definitions: Definitions) {
  const body: TemplateNode[] = [];
  for (let next = pieces.next(); next.done !== true; next = pieces.next()) {
    const piece = next.value;
    if (piece.kind === 'text') {
      body.push(piece);
      continue;
    }
    const [first, ...rest] = piece.tokens;
    const word = first?.kind === 'word' ? first.text : '';
    if (word === 'end' || word === 'else') {
      if (rest.length > 0) throw new Error(`Not supported: ${piece.source}`);
      return { body, end: word } as const;
    }
    if (word === 'define') definitions.set(...parseDefinition(pieces, rest, piece.source));
    else body.push(parseAction(pieces, piece.tokens, piece.source, definitions));
  }
  return { body, end: undefined } as const;
}

function parseDefinition(pieces: Pieces, [name, ...rest]: readonly Token[], source: string) {
  if (name?.kind !== 'literal' || rest.length > 0) throw new Error(`A definition needs one name: ${source}`);
  return [String(name.value), parseWholeBlock(pieces, new Map(), source)] as const;
}

function parseWholeBlock(pieces: Pieces, definitions: Definitions, source: string) {
  const { body, end } = parseBody(pieces, definitions);
  if (end !== 'end') throw new Error(`No end: ${source}`);
  return body;
}

function parseAction(
  pieces: Pieces,
  tokens: readonly Token[],
  source: string,
  definitions: Definitions,
): TemplateNode {
  const [first, ...rest] = tokens;
  const word = first?.kind === 'word' ? first.text : '';
  if (word === 'if' || word === 'with') {
    const value = parsePipeline(rest, source);
    const { body, end } = parseBody(pieces, definitions);
    if (end === undefined) throw new Error(`No end: ${source}`);
    const otherwise = end === 'else' ? parseWholeBlock(pieces, definitions, source) : [];
    return { kind: word, value, body, otherwise };
  }
  const { variables, value } = parseDeclaration(word === 'range' ? rest : tokens, source);
  if (word === 'range') {
    return { kind: 'range', variables, value, body: parseWholeBlock(pieces, definitions, source) };
  }
  const [variable, second] = variables;
  if (second !== undefined) throw new Error(`Only a range declares two variables: ${source}`);
  return variable === undefined ? { kind: 'print', value } : { kind: 'declare', variable, value };
}

/** `$name := pipeline`, `$key, $value := pipeline`, or a pipeline alone. */
function parseDeclaration(tokens: readonly Token[], source: string) {
  const at = tokens.findIndex((token) => isMark(token, ':='));
  const names = tokens.slice(0, Math.max(at, 0)).filter((_, index) => index % 2 === 0);
  const commas = tokens.slice(0, Math.max(at, 0)).filter((_, index) => index % 2 === 1);
  const variables = names.map((token) => {
    if (token.kind !== 'variable' || token.name === '' || token.names.length > 0) {
      throw new Error(`Cannot declare this: ${source}`);
    }
    return token.name;
  });
  if (!commas.every((token) => isMark(token, ',')) || variables.length > 2) {
    throw new Error(`Cannot declare this: ${source}`);
  }
  return { variables, value: parsePipeline(tokens.slice(at + 1), source) };
}

const isMark = (token: Token, text: string): boolean => token.kind === 'mark' && token.text === text;

function parsePipeline(tokens: readonly Token[], source: string): Pipeline {
  const remaining = tokens[Symbol.iterator]();
  const { commands, isClosed } = parseCommands(remaining, source);
  if (isClosed) throw new Error(`A parenthesis too many: ${source}`);
  return commands;
}

/** Up to the closing parenthesis, or the end of the action. */
function parseCommands(tokens: IterableIterator<Token>, source: string) {
  const commands: [Operand, ...Operand[]][] = [];
  let command: Operand[] = [];
  const endCommand = () => {
    const [first, ...rest] = command;
    if (first === undefined) throw new Error(`A command is missing: ${source}`);
    commands.push([first, ...rest]);
    command = [];
  };
  for (let next = tokens.next(); next.done !== true; next = tokens.next()) {
    const token = next.value;
    if (token.kind !== 'mark') command.push(token);
    else if (token.text === '|') endCommand();
    else if (token.text === '(') {
      const inner = parseCommands(tokens, source);
      if (!inner.isClosed) throw new Error(`A parenthesis is not closed: ${source}`);
      command.push({ kind: 'pipeline', commands: inner.commands });
    } else if (token.text === ')') {
      endCommand();
      return { commands, isClosed: true };
    } else throw new Error(`Not supported: ${source}`);
  }
  endCommand();
  return { commands, isClosed: false };
}
