import { type Html, html } from '../foundation/html.ts';
import { type Fault, notice, renderCard } from './page-layout.ts';
import { shownName } from './shown-name.ts';

/** How somebody can accept an invitation. `provider`: after a sign-in there, at this host. */
export type Guest =
  | { readonly kind: 'user'; readonly id: string; readonly name: string }
  | { readonly kind: 'newcomer' }
  | { readonly kind: 'provider'; readonly host: string };

/** What somebody has entered. The code is not shown again. */
interface InvitationForm {
  readonly guest: Guest;
  readonly name?: string;
  readonly fault?: Fault;
}

/** The page on which somebody accepts an invitation. Its code is typed in, because an address is kept in histories and logs. */
export function renderInvitation({ guest, name = '', fault }: InvitationForm): string {
  return renderCard({
    title: fault === undefined ? 'Accept an invitation' : `${fault.title}: accept an invitation`,
    root: '',
    content: html`<h1>Accept an invitation</h1>
${fault && notice('bad', fault)}
${guest.kind === 'provider' ? signInFirst(guest.host) : form(guest, name, fault !== undefined)}`,
  });
}

function signInFirst(host: string): Html {
  return html`<p>People sign in to this installation through ${host}. Sign in first. Then this page asks for the code.</p>
<p><a class="button" href="sign_in/provider?return_to=${encodeURIComponent('/invitation')}">Continue with ${host}</a></p>`;
}

function form(guest: Exclude<Guest, { kind: 'provider' }>, name: string, isFault: boolean): Html {
  return html`<form method="post" action="invitation">
${guest.kind === 'user' ? html`<input type="hidden" name="user" value="${guest.id}">` : undefined}
<label for="code">Code of the invitation</label>
<input id="code" name="code" type="password" autocomplete="off" autocapitalize="none" spellcheck="false" required autofocus aria-describedby="${isFault ? 'notice hint' : 'hint'}">
<p class="hint" id="hint">It begins with <code>mst_i_</code>, and works once.</p>
${guest.kind === 'newcomer' ? nameField(name) : undefined}
<button>${guest.kind === 'user' ? html`<span>Accept as ${shownName(guest.name)}</span>` : 'Create my account'}</button>
</form>
${guest.kind === 'user' ? notYou : hasAccount}`;
}

function nameField(name: string): Html {
  return html`<label for="name">Your name</label>
<input id="name" name="name" autocomplete="name" maxlength="128" value="${name}" required>`;
}

const hasAccount = html`<p class="quiet after">Do you have an account here already? <a href="sign_in?return_to=%2Finvitation">Sign in first</a>, so that the project is added to it.</p>`;

const notYou = html`<p class="quiet after">You are somebody else? Sign out in the menu of your account, and open this page again.</p>`;

/** Shows a new user the token with which they sign in from now on. */
export function renderFirstToken({
  name,
  token,
  projectID,
}: {
  readonly name: string;
  readonly token: string;
  readonly projectID: string;
}): string {
  return renderCard({
    title: 'Keep your access token',
    root: '',
    content: html`<h1>Welcome, ${shownName(name)}</h1>
<p>This browser is signed in. <strong>Keep this access token</strong>: with it you sign in again, here and on the command line. It is shown only now.</p>
<label for="token">Your access token</label>
<input id="token" readonly value="${token}" autocomplete="off" spellcheck="false">
<p class="after"><a class="button" href="projects/${projectID}">I have kept it: go to the project</a></p>`,
  });
}
