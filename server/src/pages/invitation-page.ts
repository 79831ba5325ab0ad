import { type Html, html } from '../foundation/html.ts';
import type { ShownInvitation } from '../people/members/invitation-service.ts';
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
  /** That of the link which this browser has opened. Undefined: the form asks for a code. */
  readonly invitation?: ShownInvitation | undefined;
  readonly name?: string;
  readonly fault?: Fault | undefined;
}

/** The page on which somebody accepts an invitation. */
export function renderInvitation({ guest, invitation, name = '', fault }: InvitationForm): string {
  const heading =
    invitation === undefined ? 'Accept an invitation' : html`Join ${shownName(invitation.projectName)}`;
  return renderCard({
    title: fault === undefined ? 'Accept an invitation' : `${fault.title}: accept an invitation`,
    root: '',
    content: html`<h1>${heading}</h1>
${fault && notice('bad', fault)}
${guest.kind === 'provider' ? signInFirst(guest.host, invitation) : form({ guest, invitation, name, fault })}`,
  });
}

function signInFirst(host: string, invitation: ShownInvitation | undefined): Html {
  const next = invitation === undefined ? 'asks for the code' : 'asks whether to accept it';
  return html`<p>People sign in to this installation through ${host}. Sign in first. Then this page ${next}.</p>
<p><a class="button" href="sign_in/provider?return_to=${encodeURIComponent('/invitation')}">Continue with ${host}</a></p>`;
}

interface Form extends InvitationForm {
  readonly guest: Exclude<Guest, { kind: 'provider' }>;
}

function form({ guest, invitation, name = '', fault }: Form): Html {
  return html`<form method="post" action="invitation">
${guest.kind === 'user' ? html`<input type="hidden" name="user" value="${guest.id}">` : undefined}
${invitation === undefined ? codeField(fault !== undefined) : html`<input type="hidden" name="invitation" value="${invitation.id}">`}
${guest.kind === 'newcomer' ? nameField(name) : undefined}
<button>${guest.kind === 'user' ? html`<span>Accept as ${shownName(guest.name)}</span>` : 'Create my account'}</button>
</form>
${guest.kind === 'user' ? notYou : hasAccount}`;
}

function codeField(isFault: boolean): Html {
  return html`<label for="code">Code of the invitation</label>
<input id="code" name="code" type="password" autocomplete="off" autocapitalize="none" spellcheck="false" required autofocus aria-describedby="${isFault ? 'notice hint' : 'hint'}">
<p class="hint" id="hint">It begins with <code>mst_i_</code>, and works once.</p>`;
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
