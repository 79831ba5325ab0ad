import {
  COLLECTION_STYLE_FLOW,
  EVENT_ALIAS,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  type Event,
  getScalarValue,
  parseEvents,
  YAMLException,
} from 'js-yaml';
import type { Finding, Place } from '../finding.ts';
import { LineStarts } from './line-starts.ts';
import type { YamlEntry, YamlNode } from './yaml-node.ts';

/** Of an empty value. */
const nothing = -1;

type ParsedYaml = { readonly node: YamlNode } | { readonly findings: readonly Finding[] };

/**
 * Reads YAML into texts, lists and maps. Fluent Bit reads the same events of a parser, and knows no aliases, no keys that are more than a text, and one
 * document: so nothing here grows beyond the text. The parser limits how deep it is.
 */
export function parseYaml(text: string): ParsedYaml {
  const lines = new LineStarts(text);
  try {
    return { node: new EventReader(text, parseEvents(text, {}), lines).read() };
  } catch (error) {
    if (error instanceof UnreadableError) return { findings: [invalid(error.message, error.place)] };
    if (error instanceof YAMLException) {
      const { reason, mark } = error;
      return {
        findings: [
          // The reasons that quote the text, which could be a secret, are about tags.
          invalid(
            /tag name|tag handle/.test(reason) ? 'a tag of it is unknown' : reason,
            mark === undefined ? { line: 1, column: 1 } : { line: mark.line + 1, column: mark.column + 1 },
          ),
        ],
      };
    }
    throw error;
  }
}

/** YAML that is valid, but not for Fluent Bit. */
class UnreadableError extends Error {
  readonly place: Place;

  constructor(message: string, place: Place) {
    super(message);
    this.place = place;
  }
}

class EventReader {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #lines: LineStarts;
  #next = 0;
  /** Of what was read last: an empty value has no place of its own. */
  #place: Place = { line: 1, column: 1 };

  constructor(text: string, events: readonly Event[], lines: LineStarts) {
    this.#text = text;
    this.#events = events;
    this.#lines = lines;
  }

  read(): YamlNode {
    const [first] = this.#events;
    if (first === undefined) return { kind: 'text', text: '', place: this.#place };
    this.#next = 1;
    const node =
      this.#events[1]?.type === EVENT_POP
        ? ({ kind: 'text', text: '', place: this.#place } as const)
        : this.#read();
    if (this.#events.length > this.#next + 1)
      throw new UnreadableError('it has several documents', this.#place);
    return node;
  }

  #read(): YamlNode {
    const event = this.#events[this.#next];
    this.#next += 1;
    switch (event?.type) {
      case EVENT_SCALAR: {
        if (event.valueStart !== nothing) this.#place = this.#lines.placeOf(event.valueStart);
        return { kind: 'text', text: getScalarValue(this.#text, event), place: this.#place };
      }
      case EVENT_SEQUENCE: {
        const place = this.#lines.placeOf(event.start);
        this.#place = place;
        const items: YamlNode[] = [];
        while (!this.#isAtEnd()) items.push(this.#read());
        return { kind: 'list', items, place, isFlow: event.style === COLLECTION_STYLE_FLOW };
      }
      case EVENT_MAPPING: {
        const place = this.#lines.placeOf(event.start);
        this.#place = place;
        const entries: YamlEntry[] = [];
        while (!this.#isAtEnd()) entries.push(this.#readEntry());
        return { kind: 'map', entries, place, isFlow: event.style === COLLECTION_STYLE_FLOW };
      }
      case EVENT_ALIAS:
        throw new UnreadableError(
          'Fluent Bit does not know aliases',
          this.#lines.placeOf(event.anchorStart - 1),
        );
      default:
        throw new Error('The parser of YAML gave an event that is not the beginning of a value.');
    }
  }

  #readEntry(): YamlEntry {
    const key = this.#read();
    if (key.kind !== 'text') throw new UnreadableError('a key has to be a text', key.place);
    return { key: key.text, place: key.place, value: this.#read() };
  }

  /** Also moves past the end. */
  #isAtEnd(): boolean {
    if (this.#events[this.#next]?.type !== EVENT_POP) return false;
    this.#next += 1;
    return true;
  }
}

function invalid(reason: string, place: Place): Finding {
  return {
    severity: 'error',
    code: 'invalid_yaml',
    message: `This YAML cannot be read: ${reason}.`,
    remedy: 'Look at the indentation, the quotes and the brackets of this line and the one above.',
    ...place,
  };
}
