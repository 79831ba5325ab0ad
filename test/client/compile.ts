import ts from 'typescript';
import { root } from '../architecture/source-files.ts';

/** The compiler options of a program. */
export interface Platform {
  readonly lib: readonly string[];
  readonly types: readonly string[];
}

export const node: Platform = { lib: ['lib.es2023.d.ts'], types: ['node'] };

/**
 * Type-checks programs that are not on disk, as strictly as TypeScript can, and returns its messages.
 *
 * @param programs by their path
 */
export function compile(
  programs: Readonly<Record<string, string>>,
  platform: Platform,
  options: ts.CompilerOptions = {},
): string[] {
  const compilerOptions: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    skipDefaultLibCheck: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    // Node's own types take seconds to check and are not under test.
    skipLibCheck: platform.types.length > 0,
    lib: [...platform.lib],
    types: [...platform.types],
    typeRoots: [`${root}/node_modules/@types`],
    ...options,
  };
  const host = ts.createCompilerHost(compilerOptions);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => path in programs || fileExists(path);
  host.readFile = (path) => programs[path] ?? readFile(path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = programs[path];
    return text === undefined
      ? getSourceFile(path, version, ...rest)
      : ts.createSourceFile(path, text, version, true);
  };
  const program = ts.createProgram(Object.keys(programs), compilerOptions, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText, start = 0 }) => {
    const place = file?.getLineAndCharacterOfPosition(start);
    const where =
      file === undefined ? '' : `${file.fileName.replace(`${root}/`, '')}:${(place?.line ?? 0) + 1} `;
    return where + ts.flattenDiagnosticMessageText(messageText, ' ');
  });
}
