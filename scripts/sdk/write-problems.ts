import { type OpenApiDocument, problemCodes } from '@muster/contract';
import { docComment, exampleLines, notice } from './comments.ts';
import { type DocumentedOperation, operationsOf } from './read-operations.ts';

/** The source of the module with the codes of all refusals and of those of each operation. */
export function problemsSource(document: OpenApiDocument): string {
  const codes = docComment('', [
    'Every refusal that the service knows, by its code.',
    ...exampleLines(
      "const retryLater = (['overloaded', 'shutting_down'] satisfies ProblemCode[]).map(String);",
    ),
  ]);
  const byOperation = docComment('', [
    'The refusals of each operation, by its id.',
    ...exampleLines("const code: OperationProblems['createToken'] = 'permissions_exceed_own';"),
  ]);
  return [
    notice,
    '',
    `${codes}\nexport type ProblemCode = ${unionOf(problemCodes)};`,
    '',
    `${byOperation}\nexport interface OperationProblems {`,
    ...operationsOf(document).map((one) => `  ${one.operationId}: ${unionOf(problemsOf(one))};`),
    '}',
    '',
  ].join('\n');
}

function problemsOf({ responses }: DocumentedOperation): string[] {
  return Object.values(responses).flatMap((response) => response['x-problem-codes'] ?? []);
}

function unionOf(codes: readonly string[]): string {
  return codes.map((code) => `'${code}'`).join(' | ');
}
