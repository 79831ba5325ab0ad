import ts from 'typescript';
import { productFiles, readSource } from '../architecture/source-files.ts';

/** A command line that the product shows to people. */
export interface SuggestedCommand {
  /** The file that contains it. */
  readonly file: string;
  readonly text: string;
  /** Whether people can run it as it is. Otherwise it is mentioned in a sentence, which may leave arguments out. */
  readonly isWhole: boolean;
}

/** What stands for a value that the code fills in: it fits wherever an id, a name or a text does. */
export const filledIn = '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d';

/** Every command line in a text of the product. */
export function readSuggestedCommands(): SuggestedCommand[] {
  return productFiles()
    .filter((file) => !file.includes('/generated/'))
    .flatMap((file) =>
      textsOf(file)
        .flatMap((text) => text.split('\n'))
        .flatMap((line) => commandsIn(line))
        .map((command) => ({ file, ...command })),
    );
}

function textsOf(file: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.push(node.text);
    if (ts.isJsxText(node)) found.push(node.text.trim());
    if (ts.isTemplateExpression(node)) {
      found.push(
        node.templateSpans.reduce((text, { literal }) => `${fillIn(text)}${literal.text}`, node.head.text),
      );
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readSource(file), ts.ScriptTarget.Latest, true));
  return found;
}

/** What is filled in directly behind a word is more flags, or none. */
function fillIn(text: string): string {
  return /[\w]$/.test(text) ? text : text + filledIn;
}

function commandsIn(line: string): Omit<SuggestedCommand, 'file'>[] {
  const wholes = [
    ...line.matchAll(/(?:^|^[^:]* \| |\| |\$\()muster ((?:\$\(.*?\)|[^;|<>)])+)/g),
    ...line.matchAll(/: muster ([a-z](?:[^.,;<>]|[.,;](?! |$))*)/g),
  ];
  const mentions = [...line.matchAll(/(?<=(['`]))muster ((?:(?!\1).)+)/g)];
  return [
    ...wholes.map(([, text = '']) => ({ text: text.trim(), isWhole: !text.includes('$(') })),
    ...mentions.map(([, , text = '']) => ({ text, isWhole: false })),
  ];
}
