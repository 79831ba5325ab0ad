import type { AlertMessageKind } from '@muster/contract';

/** A name with a value, such as how many agents. */
export interface AlertFact {
  readonly label: string;
  readonly value: string;
}

/** What a rule has found, in words. Texts of agents stand only in `text` and in names; a channel makes all of them harmless. */
export interface AlertContent {
  /** The kind of the rule. */
  readonly rule: string;
  readonly ruleName: string;
  /** What it is about: the id of a group, a token, a user, a core instance, a rollout or a project. */
  readonly subject: string;
  /** One sentence without a full stop. */
  readonly title: string;
  readonly facts: readonly AlertFact[];
  /** What agents reported. */
  readonly text?: string | undefined;
  readonly explanation?:
    | {
        readonly title: string;
        readonly meaning: string;
        readonly actions: readonly string[];
        readonly link: string;
      }
    | undefined;
  /** Below the public URL. */
  readonly path: string;
  /** A command that shows more. */
  readonly command: string;
  readonly severity: 'critical' | 'warning' | 'info';
}

export interface AlertEntry extends AlertContent {
  readonly alertID: string;
  readonly state: 'open' | 'over';
  /** ISO 8601. */
  readonly openedAt: string;
  readonly overAt: string | null;
}

/** A message to a channel, the same for every kind. It is stored, and contains no secret. */
export interface AlertMessage {
  readonly kind: AlertMessageKind;
  readonly project: { readonly id: string; readonly name: string };
  /** One line. */
  readonly title: string;
  /** At most ten; of a test none. */
  readonly entries: readonly AlertEntry[];
  /** How many further ones there are. */
  readonly more: number;
  /** Of on-call services: the incident that it opens or ends. */
  readonly incidentKey?: string;
  /** True if it ends the incident. */
  readonly isResolved?: boolean;
}

/** What the messages of one installation share. */
export interface MessageContext {
  /** The id of the message. It stays the same when it is sent again. */
  readonly id: string;
  /** When the message is sent, in milliseconds. */
  readonly sentAt: number;
  /** Without a trailing slash. Undefined: it is not known, and messages contain no links to the service. */
  readonly publicUrl: string | undefined;
}

export function linkOf(
  content: Pick<AlertContent, 'path'>,
  { publicUrl }: MessageContext,
): string | undefined {
  return publicUrl === undefined ? undefined : `${publicUrl}${content.path}`;
}
