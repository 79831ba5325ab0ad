type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

/** Markup that is safe to send. Only `html` creates it. */
export interface Html {
  readonly markup: string;
}

/** Builds markup: each value is escaped unless it is markup already; undefined adds nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return { markup: parts.map((part, index) => part + toMarkup(values[index])).join('') };
}

/** Joins the items with the separator. */
export function joinHtml(items: readonly Html[], separator: string): Html {
  return html`${items.map((item, index) => (index === 0 ? item : html`${separator}${item}`))}`;
}

function toMarkup(value: HtmlValue): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  return 'markup' in value ? value.markup : value.map(toMarkup).join('');
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes for text and for quoted attributes. */
function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
}
