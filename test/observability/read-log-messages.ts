import ts from 'typescript';
import { filesBelow, readSource } from '../architecture/source-files.ts';

export interface LogMessage {
  readonly level: string;
  /** With `…` for what differs. */
  readonly text: string;
}

const levels = ['fatal', 'error', 'warn', 'info', 'debug'];

/** Every line that the code of the service can log. */
export function readLogMessages(): LogMessage[] {
  return filesBelow('server/src', ['.ts'])
    .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('server/src/testing/'))
    .flatMap((path) => messagesOf(ts.createSourceFile(path, readSource(path), ts.ScriptTarget.Latest, true)));
}

function messagesOf(file: ts.SourceFile): LogMessage[] {
  const found: LogMessage[] = [];
  const visit = (node: ts.Node): void => {
    found.push(
      ...(ts.isCallExpression(node) ? ofCall(node) : []),
      ...(ts.isNewExpression(node) ? ofNew(node) : []),
    );
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** `logger.info({ … }, 'text')` */
function ofCall({ expression, arguments: given }: ts.CallExpression): LogMessage[] {
  const last = given.at(-1);
  const text = last && textOf(last);
  if (text === undefined) return [];
  if (expression.getText() === 'onNotice' || expression.getText().endsWith('.onNotice'))
    return [{ level: 'warn', text }];
  if (!ts.isPropertyAccessExpression(expression) || !/log(ger)?$/i.test(expression.expression.getText()))
    return [];
  const level = expression.name.text;
  return levels.includes(level) ? [{ level, text }] : [];
}

/** `new SummedWarning(logger, 'text')` and `new SummedRefusals({ message: 'text', … })` */
function ofNew({ expression, arguments: given }: ts.NewExpression): LogMessage[] {
  const name = expression.getText();
  const [first, second] = given ?? [];
  if (name === 'SummedWarning' && second !== undefined) return toMessages('warn', second);
  if (name !== 'SummedRefusals' || first === undefined || !ts.isObjectLiteralExpression(first)) return [];
  return first.properties.flatMap((property) =>
    ts.isPropertyAssignment(property) && property.name.getText() === 'message'
      ? toMessages('info', property.initializer)
      : [],
  );
}

function toMessages(level: string, node: ts.Node): LogMessage[] {
  const text = textOf(node);
  return text === undefined ? [] : [{ level, text }];
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
}
