/** The text of an error, apart by what has to stay when there is no room for all of it. */
export interface ErrorParts {
  readonly beginning: string;
  /** Its last word, such as an address or a file. Empty: it is too long to be kept whole. */
  readonly end: string;
  /** The plugin that wrote it, such as `http.3`. */
  readonly plugin: string | undefined;
}

const pluginBefore = /^\[([^\]\s]{1,80})\]\s+(?=\S)/;
const maxEndLength = 48;

/** Splits `[output:http:http.3] no route to 10.0.0.1:9` into what went wrong, where, and the plugin. */
export function splitError(text: string): ErrorParts {
  const [before = '', name] = pluginBefore.exec(text) ?? [];
  const rest = text.slice(before.length).trimEnd();
  const place = rest.lastIndexOf(' ') + 1;
  const isShort = place > 0 && rest.length - place <= maxEndLength;
  return {
    beginning: isShort ? rest.slice(0, place) : rest,
    end: isShort ? rest.slice(place) : '',
    plugin: name?.slice(name.lastIndexOf(':') + 1),
  };
}
