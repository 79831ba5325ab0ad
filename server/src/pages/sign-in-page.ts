import { visibleText } from '@muster/contract';
import { type Html, html } from '../foundation/html.ts';
import { type Fault, notice, type Root, renderCard } from './page-layout.ts';
import { shownName } from './shown-name.ts';

interface SignInPage {
  readonly root: Root;
  /** The host of the identity provider; undefined: there is none. */
  readonly provider: string | undefined;
  /** Where the browser goes when it is signed in: a path of this service. */
  readonly returnTo: string;
  readonly fault?: Fault | undefined;
  readonly isFaultOfToken?: boolean;
  readonly news?: Fault | undefined;
}

/** The page on which somebody signs in. */
export function renderSignIn({ root, provider, returnTo, fault, isFaultOfToken, news }: SignInPage): string {
  return renderCard({
    title: fault === undefined ? 'Sign in' : `${fault.title}: sign in`,
    root,
    content: html`<h1>Sign in</h1>
${fault && notice('bad', fault)}${news && notice('good', news)}
${provider && providerButton(root, provider, returnTo)}
<form method="post" action="${root}sign_in">
<input type="hidden" name="return_to" value="${returnTo}">
<label for="token">Access token</label>
<input id="token" name="token" type="password" autocomplete="current-password" autocapitalize="none" spellcheck="false" required aria-describedby="${isFaultOfToken ? 'notice hint' : 'hint'}" ${isFaultOfToken ? invalid : undefined}>
<p class="hint" id="hint">It begins with <code>mst_u_</code>. The first start wrote yours to <code>admin-token</code> in the data directory.</p>
<button ${provider && second}>Sign in with the token</button>
</form>
<p class="quiet after">Signed in on the command line? <code>muster login --web</code> prints a link that signs this browser in.</p>`,
  });
}

const invalid = html`aria-invalid="true" autofocus`;
const second = html`class="second"`;

function providerButton(root: Root, provider: string, returnTo: string): Html {
  return html`<p><a class="button" href="${root}sign_in/provider?return_to=${encodeURIComponent(returnTo)}">Continue with ${provider}</a></p>
<p class="or">or</p>`;
}

/** Asks before a link is used up: programs that show previews of links open them too. */
export function renderLink({
  id,
  userName,
  isSignedIn,
}: {
  /** Of the link. */
  readonly id: string;
  readonly userName: string;
  readonly isSignedIn: boolean;
}): string {
  const name = shownName(userName);
  return renderCard({
    title: `Sign in as ${visibleText(userName)}`,
    root: '../',
    content: html`<h1>Sign in as ${name}?</h1>
<p>This link signs this browser in as <strong>${name}</strong>. It works once.${isSignedIn ? ' The session that this browser has now ends.' : undefined}</p>
<form method="post" action="../sign_in/link"><input type="hidden" name="link" value="${id}"><button><span>Sign in as ${name}</span></button></form>
<p class="quiet after">You did not ask for it? Close this page: somebody may want you to work in their account.</p>`,
  });
}

interface MessagePage extends Fault {
  readonly root: Root;
  /** For the log. */
  readonly requestID?: string;
}

/** A page that says what happened and what to do. */
export function renderMessage({ root, title, text, requestID }: MessagePage): string {
  return renderCard({
    title,
    root,
    content: html`<h1>${title}</h1>
<p>${text}</p>
<p><a class="button" href="${root}sign_in">Sign in</a></p>
${requestID && html`<p class="quiet">Request <code>${requestID}</code>, also in the log of the service.</p>`}`,
  });
}
