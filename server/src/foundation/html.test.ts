import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html, joinHtml } from './html.ts';

describe('html', () => {
  it('escapes what is put into it, in text and in attributes', () => {
    const hostile = `<script>alert("&'")</script>`;
    expect(html`<p title="${hostile}">${hostile}</p>`.markup).toBe(
      '<p title="&lt;script&gt;alert(&quot;&amp;&#39;&quot;)&lt;/script&gt;">&lt;script&gt;alert(&quot;&amp;&#39;&quot;)&lt;/script&gt;</p>',
    );
  });

  it('takes markup as it is, lists item by item, and undefined for nothing', () => {
    expect(html`<ul>${[html`<li>${1}</li>`, html`<li>${'a & b'}</li>`, undefined]}</ul>`.markup).toBe(
      '<ul><li>1</li><li>a &amp; b</li></ul>',
    );
  });

  it('lets no text become markup', () => {
    fc.assert(fc.property(fc.string(), (text) => !/[<>"']/.test(html`${text}`.markup)));
  });
});

describe('joinHtml', () => {
  it('puts the separator between the items, escaped', () => {
    expect(joinHtml([html`<i>1</i>`, html`2`, html`3`], ' & ').markup).toBe('<i>1</i> &amp; 2 &amp; 3');
    expect(joinHtml([], ', ').markup).toBe('');
  });
});
