/**
 * The script of the pages: search, navigation (folded on narrow screens, marked at the reader's position), copy
 * buttons. The page is complete without it. It makes no request.
 */
export const pageScript = `'use strict';
const search = document.querySelector('.search');
const contents = document.querySelector('nav details');

if (search) enableSearch(search);
if (contents) {
  foldContents(contents);
  markPlace(contents);
}
if (navigator.clipboard) document.querySelectorAll('figure').forEach(enableCopy);

function enableSearch(box) {
  const input = box.querySelector('input');
  const output = box.querySelector('output');
  const entries = [...document.querySelectorAll('main .entry')].map((element) => ({
    element,
    link: document.querySelector('nav a[href="#' + element.id + '"]'),
    text: searchedText(element).toLowerCase(),
  }));

  function show() {
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let found = 0;
    for (const { element, link, text } of entries) {
      const matches = words.every((word) => text.includes(word));
      element.hidden = !matches;
      if (link) link.parentElement.hidden = !matches;
      if (matches) found += 1;
    }
    const searching = words.length > 0;
    document.body.classList.toggle('searching', searching);
    for (const section of document.querySelectorAll('main > section')) {
      section.hidden = !section.querySelector('.entry:not([hidden])');
      document.querySelector('nav h2 a[href="#' + section.id + '"]').closest('section').hidden = section.hidden;
    }
    output.value = searching ? (found === 0 ? 'Nothing found' : found + ' found') : '';
  }

  input.addEventListener('input', () => {
    show();
    if (input.value) window.scrollTo(0, 0);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    input.value = '';
    show();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.closest('input')) return;
    event.preventDefault();
    input.focus();
  });
  // The target of a link may be hidden by the search.
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    const target = link && document.getElementById(link.hash.slice(1));
    if (!target || !target.closest('[hidden]')) return;
    input.value = '';
    show();
  });
  box.hidden = false;
  show();
}

function searchedText(element) {
  const copy = element.cloneNode(true);
  for (const aside of copy.querySelectorAll('.examples, .refusals')) aside.remove();
  return element.id + ' ' + copy.textContent.replaceAll('\\u200b', '');
}

function foldContents(details) {
  const wide = matchMedia('(min-width: 60rem)');
  const fold = () => {
    details.open = wide.matches;
  };
  wide.addEventListener('change', fold);
  fold();
  details.addEventListener('click', (event) => {
    if (!wide.matches && event.target.closest('a')) details.open = false;
  });
}

function markPlace(details) {
  let marked;
  const observer = new IntersectionObserver(
    (changes) => {
      const entered = changes.find(({ isIntersecting }) => isIntersecting);
      const link = entered && details.querySelector('a[href="#' + entered.target.id + '"]');
      if (!link || link === marked) return;
      if (marked) marked.removeAttribute('aria-current');
      marked = link;
      link.setAttribute('aria-current', 'location');
      const { top, bottom } = link.getBoundingClientRect();
      const nav = details.parentElement;
      if (bottom > innerHeight || top < nav.getBoundingClientRect().top) {
        nav.scrollTop += top - innerHeight / 2;
      }
    },
    { rootMargin: '-15% 0px -80% 0px' },
  );
  for (const entry of document.querySelectorAll('main article')) observer.observe(entry);
}

function enableCopy(figure) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', 'Copy ' + figure.querySelector('figcaption').textContent);
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('pre').textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  figure.append(button);
}
`;
