import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { root } from '../architecture/source-files.ts';
import { compile, node } from './compile.ts';

const entry = `${root}/client/src/index.ts`;

/** The exports of the SDK, with their doc comments. */
interface PublicSymbol {
  readonly name: string;
  readonly isType: boolean;
  readonly text: string;
  readonly examples: readonly string[];
}

const symbols = publicSymbols();
const namesOfTypes = new Set(symbols.filter(({ isType }) => isType).map(({ name }) => name));

describe('every public symbol of the SDK', () => {
  it('is found', () => {
    expect(symbols.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'createClient',
        'createToken',
        'CreateTokenInput',
        'MusterError',
        'Token',
        'PagedList',
      ]),
    );
  });

  it('has a description', () => {
    expect(symbols.filter(({ text }) => !/^[A-Z].*\.$/s.test(text)).map(({ name }) => name)).toEqual([]);
  });

  it('has an example that uses it', () => {
    const without = symbols.filter(
      ({ name, examples }) => !examples.some((example) => new RegExp(`\\b${name}\\b`).test(example)),
    );
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it('has examples that compile', () => {
    const programs = symbols.flatMap(({ name, isType, examples }) =>
      examples.map((example, index) => {
        // Some names of types differ from those of functions only in case.
        const file = `${root}/test/client/${isType ? 'type' : 'value'}-${name}-${index}.ts`;
        return [file, programOf(example)] as const;
      }),
    );
    expect(programs.length).toBeGreaterThanOrEqual(symbols.length);
    expect(compile(Object.fromEntries(programs), node)).toEqual([]);
  });

  it('has examples whose mistakes are detected', () => {
    const program = programOf("await createToken(client, { projectID, body: { nam: 'ci' } });");
    expect(compile({ [`${root}/test/client/example-wrong.ts`]: program }, node)).toEqual([
      expect.stringContaining("'nam' does not exist in type 'CreateToken'"),
    ]);
  });
});

/** An example together with what its reader has: a client and some ids. */
function programOf(example: string): string {
  const used = symbols.map(({ name }) => name).filter((name) => new RegExp(`\\b${name}\\b`).test(example));
  const imports = [...new Set([...used, 'Client'])].map((name) =>
    namesOfTypes.has(name) ? `type ${name}` : name,
  );
  return `
    import { ${imports.join(', ')} } from '../../client/src/index.ts';
    declare const client: Client;
    declare const ${[
      'projectID',
      'tokenID',
      'userID',
      'invitationID',
      'agentID',
      'agentErrorID',
      'agentErrorGroupID',
      'dismissalID',
      'alertChannelID',
      'alertRuleID',
      'coreInstanceID',
      'fleetID',
      'fleetFileID',
      'fleetVersionID',
      'rolloutID',
      'accessTokenID',
      'sessionID',
    ]
      .map((id) => `${id}: string`)
      .join(', ')};
    declare const bytes: Uint8Array;
    export async function example() {
      ${example}
    }
  `;
}

function publicSymbols(): PublicSymbol[] {
  const program = ts.createProgram([entry], {
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${entry} is not a module`);
  return checker.getExportsOfModule(module).map((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    return {
      name: exported.name,
      isType: (symbol.flags & ts.SymbolFlags.Value) === 0,
      text: ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim(),
      examples: symbol
        .getJsDocTags(checker)
        .filter(({ name }) => name === 'example')
        .map(({ text }) => ts.displayPartsToString(text).replaceAll(/^```(ts)?$/gm, '')),
    };
  });
}
