import { visibleParts } from '@muster/contract';
import { type Html, html } from '../foundation/html.ts';

/** A name that a person has chosen: isolated from the direction of what surrounds it, with what is hidden in it made visible. */
export function shownName(name: string): Html {
  const parts = visibleParts(name).map(({ text, isMark }) =>
    isMark ? html`<span class="mark">${text}</span>` : html`${text}`,
  );
  return html`<bdi>${parts}</bdi>`;
}
