import { Type } from 'typebox';
import { defineRoute, jsonBody } from '../route.ts';
import { maxLeaks, ReceivedLeaks, TokenLeak } from '../schemas/leak.ts';

const limitBytes = 256 * 1024;

export const reportTokenLeaks = defineRoute({
  operationID: 'reportTokenLeaks',
  method: 'POST',
  path: '/v1/token_leaks',
  tag: 'Tokens',
  summary: 'Report credentials that were found in public',
  description:
    'Needs no credential: who has a value could do worse with it. Project tokens, access tokens and agent tokens are taken, also values from before a rotation that are still accepted. What is valid is revoked within a moment of the answer, or only told to people of the project (MUSTER_LEAKED_TOKENS). Codes of invitations, sessions and sign-in links are always ended. The answer does not say whether a value is valid.',
  credentials: [],
  repeatable: true,
  body: jsonBody(
    Type.Array(TokenLeak, { minItems: 1, maxItems: maxLeaks, description: 'The values that were found.' }),
    limitBytes,
  ),
  answer: { status: 200, schema: ReceivedLeaks, description: 'The report is stored.' },
  problems: ['too_many_leak_reports', 'database_unavailable'],
});
