import { type Static, Type } from 'typebox';

/** Maximum number of values in one report. */
export const maxLeaks = 100;

/** The names are those of GitHub's secret scanning partner program, so that its reports can be passed on unchanged. */
export const TokenLeak = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'The whole value that was found.',
      examples: ['the whole value'],
    }),
    url: Type.Optional(
      Type.Union(
        [
          Type.String({
            maxLength: 2_048,
            examples: ['https://git.example/fleet/agent.yaml'],
          }),
          Type.Null(),
        ],
        { description: 'Where it was found. Shown to people of the project.' },
      ),
    ),
    source: Type.Optional(
      Type.Union([Type.String({ maxLength: 256, examples: ['container image'] }), Type.Null()], {
        description: 'In what it was found. Shown to people of the project.',
      }),
    ),
  },
  { description: 'A credential that somebody has found where it should not be. Other fields are ignored.' },
);
export type TokenLeak = Static<typeof TokenLeak>;

export const ReceivedLeaks = Type.Object(
  { received: Type.Integer({ minimum: 1, description: 'Number of values in the request.' }) },
  { description: 'The same, whether a value is a credential or not.' },
);
export type ReceivedLeaks = Static<typeof ReceivedLeaks>;
