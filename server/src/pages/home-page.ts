import { html } from '../html.ts';
import { brand, renderPage } from './page-layout.ts';

interface HomePage {
  readonly userName: string;
  readonly version: string;
  readonly projects: readonly ProjectOfPage[];
  readonly hasMoreProjects: boolean;
  /** Set if there is nothing to see: how to get in. */
  readonly note: string | undefined;
}

interface ProjectOfPage {
  readonly id: string;
  readonly name: string;
  readonly counts: readonly Count[];
}

export interface Count {
  readonly name: string;
  readonly value: number;
  readonly isBad?: boolean;
}

/** The first page of somebody who is signed in: the projects with their counts. */
export function renderHome({ userName, version, projects, hasMoreProjects, note }: HomePage): string {
  return renderPage({
    title: 'Projects',
    root: '',
    content: html`<header class="bar"><div>
${brand('')}
<a href="docs">API reference</a>
<span class="who">Signed in as ${userName}</span>
<form method="post" action="sign_out"><button class="second">Sign out</button></form>
</div></header>
<main class="wide">
<h1>Projects</h1>
${note === undefined ? undefined : html`<p>${note}</p>`}
${projects.length === 0 && note === undefined ? html`<p>There is no project yet. Create one with <code>muster project create NAME</code>.</p>` : undefined}
<ul class="projects">${projects.map(renderProject)}</ul>
${hasMoreProjects ? html`<p class="quiet after">These are the newest projects. <code>muster project list</code> shows all of them.</p>` : undefined}
<p class="quiet after">Muster ${version}. See the errors of a project with <code>muster status</code> and <code>muster error list</code>.</p>
</main>`,
  });
}

function renderProject({ id, name, counts }: ProjectOfPage) {
  return html`<li class="card"><h2>${name}</h2>
<p class="quiet"><code>${id}</code></p>
<dl class="counts">${counts.map(
    ({ name: what, value, isBad }) =>
      html`<div ${isBad && value > 0 ? bad : undefined}><dt>${what}</dt><dd>${value.toLocaleString('en-US')}</dd></div>`,
  )}</dl></li>`;
}

const bad = html`class="bad"`;
