import { type Html, html } from '../../foundation/html.ts';

/** Renders the part of CommonMark that the contract uses: paragraphs and `code`. */
export function renderProse(text: string): Html {
  return html`${text.split('\n\n').map((paragraph) => html`<p>${renderLine(paragraph)}</p>`)}`;
}

/** Splits a text at its `##` headings. */
export function splitAtHeadings(text: string): { readonly heading: string; readonly text: string }[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [heading = '', ...paragraphs] = part.trim().split('\n\n');
      return { heading, text: paragraphs.join('\n\n') };
    });
}

/** Renders one line of text with its `code`. */
export function renderLine(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

/** The anchor of a heading. */
export function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
