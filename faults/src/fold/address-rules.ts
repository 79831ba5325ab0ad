import { anyCase } from './any-case.ts';
import type { FoldRule } from './fold-rule.ts';

const by = '<address>';

const octet = String.raw`(?:25[0-5]|2[0-4]\d|1?\d{1,2})`;
const port = String.raw`(?::(?:\d{1,5}|<port>|<n>)(?!\w))?`;
const group = String.raw`[\da-fA-F]{1,4}`;
/** At least three groups, so that it does not match a time of day. */
const ipv6 = String.raw`(?:${group}(?::${group}){7}|${group}(?::${group}){0,6}::(?:${group}(?::${group}){0,6})?)(?:%\w{1,16})?(?![\w:<])`;

/** The text before a port. */
export const beforePort = String.raw`\b${anyCase('port')}["']?[ =:]{1,2}["']?|\]:|(?:\blocalhost|:\/\/[\w.-]{1,80}|[a-zA-Z\d-]\.[a-zA-Z][a-zA-Z-]{1,30}):|[\s(]:`;

/** The text between the name of a source file and a line number, which is not a port. */
export const afterFile = String.raw`\.(?:c|cc|cpp|h|hpp|go|rs|py|rb|js|ts|lua|java|conf|yaml|yml|json|toml|log|vrl|mod):`;

/**
 * Addresses of machines, with their ports, and of memory. Names of hosts stay, and so do the ports of services there: two agents
 * that cannot reach the same host have one cause, and a name stays the same where its addresses change.
 */
export const addressRules: readonly FoldRule[] = [
  {
    name: 'IPv4 address',
    start: 'digit',
    match: new RegExp(String.raw`${octet}(?:\.${octet}){3}(?:\/\d{1,2})?(?![\w.]\w)(?!\w)${port}`),
    by,
    example: {
      text: 'read tcp 10.0.0.5:43512->10.0.0.1:4317: connection reset by peer',
      pattern: 'read tcp <address>-><address>: connection reset by peer',
    },
  },
  {
    name: 'hardware address',
    start: 'digit',
    match: /[\da-fA-F]{2}(?::[\da-fA-F]{2}){5}(?![\w:<])/,
    by,
    example: { text: 'device 02:42:ac:11:00:02 is down', pattern: 'device <address> is down' },
  },
  {
    name: 'IPv6 address, first a digit',
    start: 'digit',
    match: new RegExp(ipv6),
    by,
    example: {
      text: 'dial tcp [2001:db8::17]:4317: i/o timeout',
      pattern: 'dial tcp [<address>]:<port>: i/o timeout',
    },
  },
  {
    name: 'IPv6 address, first a letter',
    start: 'letter',
    match: new RegExp(ipv6),
    by,
    example: { text: 'no route to fe80::1%eth0', pattern: 'no route to <address>' },
  },
  {
    name: 'IPv6 address, first a colon',
    start: 'colon',
    match: new RegExp(String.raw`::(?:${group}(?::${group}){0,6})?(?![\w:<])`),
    by,
    example: { text: 'cannot listen on [::1]:4317', pattern: 'cannot listen on [<address>]:<port>' },
  },
  {
    name: 'host named for its address',
    start: 'letter',
    match: /ip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?![\w-])/,
    by,
    example: {
      text: 'no answer from ip-10-0-3-7.ec2.internal',
      pattern: 'no answer from <address>.ec2.internal',
    },
  },
  {
    name: 'address in memory',
    start: 'digit',
    match: /0x[\da-fA-F]{1,32}(?!\w)/,
    by,
    example: {
      text: '[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x2f5c1a7]',
      pattern: '[signal SIGSEGV: segmentation violation code=0x1 addr=<address> pc=<address>]',
    },
  },
  {
    name: 'port of a service at a named host',
    start: 'digit',
    match: new RegExp(
      String.raw`(?<=(?:\blocalhost|:\/\/[\w.-]{1,80}|[a-zA-Z\d-]\.[a-zA-Z][a-zA-Z-]{1,30}):)(?<!${afterFile})(?:[12]?\d{1,4}|3[01]\d{3}|32[0-6]\d{2}|327[0-5]\d|3276[0-7])(?!\w|\.\w)`,
    ),
    example: {
      text: 'no upstream connections available to logs.example.com:24224',
      pattern: 'no upstream connections available to logs.example.com:24224',
    },
  },
  {
    name: 'port',
    start: 'digit',
    match: new RegExp(String.raw`(?<=${beforePort})(?<!${afterFile})\d{2,5}(?!\w|\.\w)`),
    by: '<port>',
    example: {
      text: 'listen tcp :4317: cannot listen on port 24999',
      pattern: 'listen tcp :<port>: cannot listen on port <port>',
    },
  },
];
