import { type Static, Type } from 'typebox';

/** The body of every refusal: RFC 9457 problem details, plus `error` for older clients. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'URI reference of the page that explains the code.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What happened, why, and what to do.' }),
    error: Type.String({ description: 'The code as a short stable sentence.' }),
    code: Type.String({ description: 'Stable snake_case name of the refusal.' }),
    requestID: Type.String({ description: 'The same id as in the X-Request-Id header and the log line.' }),
    fields: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'JSON pointer into the body, or the name of a parameter.' }),
          message: Type.String(),
        }),
      ),
    ),
  },
  { description: 'RFC 9457 problem details.' },
);
export type Problem = Static<typeof Problem>;
