import { isSecretValue, marker } from './marker.ts';

/**
 * Replaces secrets in the arguments of commands that have no telling name: `mysql -pSECRET`, `curl -u user:SECRET`,
 * `snmpget -c COMMUNITY`; in a line of a shell and in a list of arguments.
 */
export function redactCommands(text: string): string {
  if (!/(?<![\w-])-[A-Za-z-]/.test(text)) return text;
  return redactPasswordFlags(redactFlags(redactUserFlags(text)));
}

/**
 * `-pSECRET` of any command: four characters or more, with a digit, and with a capital or a sign. Not `-path`, `-python3`, or the `-p8080:80` of a port.
 */
const passwordFlag =
  /(?<![^\s"',])-p(?=[^\s"',\d]{0,64}\d)(?=[^\sA-Z!#$%^*?~"',]{0,64}[A-Z!#$%^*?~])[\w!#$%^*?~@+.-]{4,64}(?![\w/=]|:\S)/g;

function redactPasswordFlags(text: string): string {
  return text.includes('-p') ? text.replaceAll(passwordFlag, `-p${marker}`) : text;
}

/** Letters of flags whose value is a secret: directly after the letter, or also as the next argument. */
interface SecretFlags {
  readonly attached?: string;
  readonly apart?: string;
}

const commands: readonly (readonly [command: RegExp, flags: SecretFlags])[] = [
  [/^(?:mysql|mariadb)/, { attached: 'p' }],
  [/^(?:sshpass|mongo|cqlsh|rabbitmqadmin)/, { attached: 'p', apart: 'p' }],
  [/^redis-cli/, { attached: 'a', apart: 'a' }],
  [/^(?:7z|rar|unrar)/, { attached: 'p' }],
  [/login$/, { apart: 'p' }],
  [/^ldap/, { attached: 'w', apart: 'w' }],
  [/^snmp/, { attached: 'cAX', apart: 'cAX' }],
  [/^(?:sqlcmd|bcp|ipmitool|mosquitto)/, { attached: 'P', apart: 'P' }],
];

const commandName = String.raw`(?:(?<![\w.-])|(?<=\\[nrt]|%20))(mysql\w{0,16}|mariadb[\w-]{0,16}|sshpass|mongo\w{0,16}|cqlsh|rabbitmqadmin|redis-cli|ldap\w{1,16}|snmp\w{1,16}|sqlcmd|bcp|ipmitool|mosquitto_\w{1,16}|7z[ar]?|rar|unrar|(?:docker|podman|nerdctl|buildah|az|oc|registry)[\s"',]{1,6}login)(?=\\{0,7}["']?[\s,])`;
const nextCommand = new RegExp(commandName, 'g');
/** Within a command: the name of another one, a flag, or a possible end. */
const nextPart = new RegExp(String.raw`${commandName}|(?<=[\s"',])-([A-Za-z])|[|;&\n]`, 'g');

function redactFlags(text: string): string {
  let redacted = '';
  let copied = 0;
  let flags: SecretFlags | undefined;
  let position = 0;
  for (;;) {
    const pattern = flags === undefined ? nextCommand : nextPart;
    pattern.lastIndex = position;
    const found = pattern.exec(text);
    if (found === null) break;
    const [part, name, letter] = found;
    position = pattern.lastIndex;
    if (name !== undefined) {
      flags = commands.find(([command]) => command.test(name))?.[1];
    } else if (letter !== undefined && flags !== undefined) {
      const value = valueOfFlag(text, found.index, letter, flags);
      if (value === undefined) continue;
      redacted += text.slice(copied, value.start) + marker;
      copied = value.end;
      position = value.end;
    } else if (part !== '\n' || !isContinued(text, found.index)) {
      flags = undefined;
    }
  }
  return copied === 0 ? text : redacted + text.slice(copied);
}

/** A command ends with its line, unless a backslash joins the next one or a list continues there. */
function isContinued(text: string, lineBreak: number): boolean {
  listItem.lastIndex = lineBreak + 1;
  return /\\\r?$/.test(text.slice(Math.max(0, lineBreak - 2), lineBreak)) || listItem.test(text);
}

const listItem = /[ \t]{0,256}(?:-[ \t]|["'])/y;

interface Stretch {
  readonly start: number;
  readonly end: number;
}

function valueOfFlag(
  text: string,
  dash: number,
  letter: string,
  { attached = '', apart = '' }: SecretFlags,
): Stretch | undefined {
  const behind = dash + 2;
  const gapEnd = endOfMatch(gap, text, behind);
  if (gapEnd === undefined) return attached.includes(letter) ? argument(text, behind, dash) : undefined;
  return apart.includes(letter) && text[gapEnd] !== '-' ? argument(text, gapEnd, gapEnd) : undefined;
}

/** The text between two arguments: blanks, the separator of a list, and the quote that opens the next one. */
const gap =
  /(?:\\{0,7}["'])?(?:,?[ \t]{1,64}|,?[ \t]{0,64}\\?\r?\n[ \t]{0,256}(?:-[ \t]{1,8})?|,)(?:\\{0,7}["'])?/y;

/** @param start of the value in the argument that starts at `argumentStart`, behind its quote if it has one. */
function argument(text: string, start: number, argumentStart: number): Stretch | undefined {
  const isQuoted = isQuote(text.charAt(argumentStart - 1));
  const opensQuote = !isQuoted && isQuote(text.charAt(start));
  const valueStart = opensQuote ? start + 1 : start;
  const end = endOfMatch(
    patternOf(text, isQuoted ? argumentStart - 1 : start, isQuoted || opensQuote),
    text,
    valueStart,
  );
  if (end === undefined || !isSecretValue(text.slice(valueStart, end))) return undefined;
  return { start: valueStart, end };
}

/** The characters of an argument, by the quote before it. */
function patternOf(text: string, quote: number, hasQuote: boolean): RegExp {
  if (!hasQuote) return word;
  if (text[quote - 1] === '\\') return inEscapedQuotes;
  return text[quote] === '"' ? inDoubleQuotes : inSingleQuotes;
}

function isQuote(character: string): boolean {
  return character === '"' || character === "'";
}

const inDoubleQuotes = /(?:[^"\\\r\n]|\\.){0,1024}/y;
const inEscapedQuotes = /[^"'\\\r\n]*/y;
const inSingleQuotes = /[^'\r\n]*/y;
/** A quote, comma or bracket may be part of the value, unless it ends the surrounding string or list. */
const word = /(?:[^\s"',\]})|;&]|["',\]})](?![\s,\]}"']|$)){0,1024}/y;

const userFlag = /(?<![\w-])(?:-[uU]|--(?:proxy-)?user)(?![\w-])/g;
const user = /[^\s:%"',=/]{1,128}[:%](?!\/\/)/y;

/** `-u user:password`, whatever the command. Not `-u 1000:1000`, nor `-u host.example:8080`. */
function redactUserFlags(text: string): string {
  let redacted = '';
  let copied = 0;
  userFlag.lastIndex = 0;
  for (let found = userFlag.exec(text); found !== null; found = userFlag.exec(text)) {
    const argumentStart =
      endOfMatch(equals, text, userFlag.lastIndex) ?? endOfMatch(gap, text, userFlag.lastIndex);
    const start = argumentStart === undefined ? undefined : endOfMatch(user, text, argumentStart);
    if (argumentStart === undefined || start === undefined) continue;
    const value = argument(text, start, argumentStart);
    if (value === undefined || isAddress(text.slice(argumentStart, value.end))) continue;
    redacted += text.slice(copied, value.start) + marker;
    copied = value.end;
    userFlag.lastIndex = value.end;
  }
  return copied === 0 ? text : redacted + text.slice(copied);
}

const equals = /=["']?/y;

function isAddress(argumentText: string): boolean {
  return /^(?:\d{1,10}|[\w-]{1,64}\.[\w.-]{1,64}):\d{1,10}$/.test(argumentText);
}

function endOfMatch(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
