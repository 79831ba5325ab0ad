import type { Place } from '../finding.ts';

/** A value of YAML, of which every scalar is a text. */
export type YamlNode =
  | { readonly kind: 'text'; readonly text: string; readonly place: Place }
  | {
      readonly kind: 'list';
      readonly items: readonly YamlNode[];
      readonly place: Place;
      readonly isFlow: boolean;
    }
  | {
      readonly kind: 'map';
      readonly entries: readonly YamlEntry[];
      readonly place: Place;
      /** Written in braces. */
      readonly isFlow: boolean;
    };

export interface YamlEntry {
  readonly key: string;
  readonly place: Place;
  readonly value: YamlNode;
}

export type YamlList = Extract<YamlNode, { kind: 'list' }>;
export type YamlMap = Extract<YamlNode, { kind: 'map' }>;

/** What a node is, for a message. */
export function nameKind({ kind }: YamlNode): string {
  return kind === 'text' ? 'a text' : `a ${kind}`;
}
