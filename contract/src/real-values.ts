import { quoteForShell } from './quote-for-shell.ts';

/** The values of an error with which commands of the catalogue are filled in. */
export interface RealValues {
  /** Without a port. */
  readonly host: string | undefined;
  readonly port: string | undefined;
  readonly url: string | undefined;
  readonly path: string | undefined;
}

const address =
  /(?<![\w.:/@-])([a-z\d](?:[a-z\d.-]*[a-z\d])?\.[a-z\d-]+|localhost|\[[\da-f:]+\]):(\d{1,5})(?![\w.])/i;
const hostAlone =
  /(?<![\w./@-])((?:\d{1,3}\.){3}\d{1,3}|(?:[a-z\d-]+\.)+(?:com|net|org|io|dev|local|internal|svc|cloud|test))(?![\w-])/i;
const webAddress = /https?:\/\/[^\s"'<>{}()[\],]+/i;
const file = /(?<![\w.:/<>])(\/[\w.@%+*~-]+(?:\/[\w.@%+*~-]+)*)/;

/** What a person would look at first in the text of an error. */
export function realValuesOf(text: string): RealValues {
  const url = webAddress.exec(text)?.[0]?.replace(/[.;:]$/, '');
  const [, host, port] = address.exec(url === undefined ? text : url.replace(/^https?:\/\//i, '')) ?? [];
  const withoutAddress = url === undefined ? text : text.replace(url, '');
  return {
    host: host ?? hostAlone.exec(text)?.[1],
    port: port !== undefined && Number(port) <= 65_535 ? port : undefined,
    url,
    path: file.exec(withoutAddress)?.[1],
  };
}

/**
 * A command of the catalogue with the values of an error in place of its words in capitals. As it is, if one of them is not known: half a command would run, and
 * tell nothing.
 */
export function fillIn(command: string, values: RealValues): string {
  let isWhole = true;
  const put = (value: string | undefined, word: string): string => {
    if (value === undefined || hasControlCharacter(value)) isWhole = false;
    return value === undefined ? word : quoteForShell(value);
  };
  const folder = values.path?.replace(/\/[^/]*$/, '') || undefined;
  const filled = command.replace(placeholders, (word) => {
    switch (word) {
      case 'HOST':
        return put(values.host, word);
      case 'PORT':
        return put(values.port, word);
      case 'URL':
        return put(values.url, word);
      case 'FOLDER':
        return put(folder, word);
      case 'FILE':
      case 'PATH':
        return put(values.path, word);
      default:
        isWhole = false;
        return word;
    }
  });
  return isWhole ? filled : command;
}

/** Words in capitals that stand alone. Options such as `-H` and variables are none. */
const placeholders = /(?<![\w$./-])[A-Z]{3,}(?:_[A-Z]+)*(?![\w-])|(?<=\/\/)[A-Z]{3,}/g;

function hasControlCharacter(text: string): boolean {
  return /\p{C}/u.test(text);
}

/** The parts of a text in which backticks mark commands, with what is known of the error in the commands. */
export function fillInText(text: string, values: RealValues): string {
  return text
    .split('`')
    .map((part, place) => (place % 2 === 1 && part.includes(' ') ? fillIn(part, values) : part))
    .join('`');
}
