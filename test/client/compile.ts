import ts from 'typescript';
import { root } from '../architecture/source-files.ts';

/** What a program is compiled with. */
export interface Platform {
  readonly lib: readonly string[];
  readonly types: readonly string[];
}

export const node: Platform = { lib: ['lib.es2023.d.ts'], types: ['node'] };

/**
 * Checks the types of programs that are not on the disk, as strictly as TypeScript can, and answers what it says.
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
    // Types of Node take seconds to check, and are not ours.
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
