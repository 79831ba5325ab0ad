import { anyCase } from './any-case.ts';
import type { FoldRule } from './fold-rule.ts';

const named = anyCase('(?:status|code|errno|\\berr|signal|exit|sqlstate)');
const answered = anyCase(
  '(?:http|http\\/1\\.[01]|http\\/2|returned|got|received|response|responded with|server|with)',
);

/** Numbers that say what happened and so distinguish causes. They stay. */
export const meaningfulNumberRules: readonly FoldRule[] = [
  {
    name: 'status, code, errno or signal',
    start: 'digit',
    match: new RegExp(
      String.raw`(?<=${named}(?:["']? ?[=:(#] ?["']?|["']? )-?|\bexited with )(?:0x[\da-f]{1,4}|\d{1,5})(?![\w.]|,\d)`,
    ),
    example: {
      text: '[output:es:es.0] HTTP status=401 URI=/_bulk, errno=111, exit status 2, code=0x1',
      pattern: '[output:es:es.<number>] HTTP status=401 URI=/_bulk, errno=111, exit status 2, code=0x1',
    },
  },
  {
    name: 'number of an error',
    start: 'digit',
    match: new RegExp(
      String.raw`(?<=\b${anyCase('error')}(?:[ =#]| number | code )-?)\d{1,5}(?![\w.]|,\d| [a-z])`,
    ),
    example: { text: '(os error 111)', pattern: '(os error 111)' },
  },
  {
    name: 'status of an HTTP answer',
    start: 'digit',
    match: new RegExp(String.raw`(?<=\b${answered}[ :=])[1-5]\d{2}(?![\w.]|,\d| [a-z])`),
    example: { text: 'the server returned HTTP 503', pattern: 'the server returned HTTP 503' },
  },
  {
    name: 'status before its reason',
    start: 'digit',
    match:
      /[1-5]\d{2}(?= (?:OK|Bad Request|Unauthorized|Payment Required|Forbidden|Not Found|Method Not Allowed|Not Acceptable|Proxy Auth|Request |Conflict|Gone|Length Required|Precondition|Payload Too|Content Too|URI Too|Unsupported|Unprocessable|Too Many|Internal Server|Not Implemented|Bad Gateway|Service Unavailable|Gateway Time|HTTP Version|Moved|Found|See Other|Temporary|Permanent)[A-Za-z]{0,16}(?!\w))/,
    example: { text: 'error="429 Too Many Requests"', pattern: 'error="429 Too Many Requests"' },
  },
  {
    name: 'code of OpenSSL',
    start: 'digit',
    match: /(?<=\berror:)[\dA-F]{8}(?=:)/,
    example: {
      text: 'error:0A000086:SSL routines::certificate verify failed',
      pattern: 'error:0A000086:SSL routines::certificate verify failed',
    },
  },
  {
    name: 'version of a protocol',
    start: 'digit',
    match:
      /(?<=\b(?:HTTP\/|(?:TLS|SSL|HTTP|IP|SASL|[pP]rotocol)(?: version| ?v)?[ =:]{1,2}|TLSv1\.))\d{1,4}(?:\.\d{1,2})?(?!\w|\.\w)/,
    example: {
      text: 'TLS 1.3 is not supported by HTTP/1.1',
      pattern: 'TLS 1.3 is not supported by HTTP/1.1',
    },
  },
  {
    name: 'escaped character of a URL',
    start: 'digit',
    match: /(?<=%)[\da-fA-F]{2}/,
    example: { text: 'GET /a%20b failed', pattern: 'GET /a%20b failed' },
  },
];
