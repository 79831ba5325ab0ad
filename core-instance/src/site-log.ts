/** Where a core instance says what an operator has to know. A message is a sentence: what happened, and what to do. */
export interface SiteLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
