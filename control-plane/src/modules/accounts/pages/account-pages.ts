import { randomBytes } from 'node:crypto';
import { requireFresh } from '../../../http/access.js';
import { ApiError, messageOf } from '../../../http/errors.js';
import { messageIn } from '../../../http/field-messages/field-messages.js';
import { chosenLocale, type Locale, withLocale } from '../../../http/locale.js';
import { type Html, html } from '../../../http/pages/html.js';
import type { RawReply, RouteRequest } from '../../../http/route.js';
import type { Completion, SignedIn } from '../completion/completion.js';
import type { ExternalSignIn } from '../providers/external-sign-in.js';
import type { BrowserSession, BrowserVisit, Sessions } from '../sessions/sessions.js';
import type { EmailCodeSignIn } from '../ways/email-code-sign-in.js';
import type { PasskeySignIn } from '../ways/passkey-sign-in.js';
import type { QrSignIn } from '../ways/qr-sign-in.js';
import type { SignIn } from '../ways/sign-in.js';
import { accountTexts } from './account-texts.js';
import { HOME_OF_ACCOUNTS, safeNext } from './next.js';
import type { PageCookies } from './page-cookies.js';
import { FORM_TOKEN, type PageForms } from './page-forms.js';

/** Request for a page of accounts. */
export type AccountPageRequest = RouteRequest<unknown, unknown, unknown>;

/** The person of a page, and the cookie that shows it. */
export interface Visitor extends BrowserVisit {
  readonly cookie: string;
}

interface AccountPagesOptions {
  readonly publicUrl: string;
  readonly sessions: Sessions;
  readonly cookies: PageCookies;
  readonly forms: PageForms;
  /** Ways to sign in that open a session of the browser. */
  readonly signIn: SignIn<BrowserSession>;
  readonly emailCodeSignIn: EmailCodeSignIn<BrowserSession>;
  readonly qrSignIn: QrSignIn<BrowserSession>;
  readonly passkeySignIn: PasskeySignIn<BrowserSession>;
  readonly externalSignIn: ExternalSignIn<BrowserSession>;
  readonly completion: Completion<BrowserSession>;
}

/** Sessions of browsers and forms, for pages that know their person. */
export class AccountPages {
  readonly signIn: SignIn<BrowserSession>;
  readonly emailCodeSignIn: EmailCodeSignIn<BrowserSession>;
  readonly qrSignIn: QrSignIn<BrowserSession>;
  readonly passkeySignIn: PasskeySignIn<BrowserSession>;
  readonly externalSignIn: ExternalSignIn<BrowserSession>;
  readonly completion: Completion<BrowserSession>;

  constructor(private readonly options: AccountPagesOptions) {
    this.signIn = options.signIn;
    this.emailCodeSignIn = options.emailCodeSignIn;
    this.qrSignIn = options.qrSignIn;
    this.passkeySignIn = options.passkeySignIn;
    this.externalSignIn = options.externalSignIn;
    this.completion = options.completion;
  }

  /** Person of a request by its cookie; null if it has no live session. */
  async visitor(request: AccountPageRequest): Promise<Visitor | null> {
    try {
      return await this.requireVisitor(request);
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return null;
      throw error;
    }
  }

  /** As `visitor`. @throws ApiError AUTH_SESSION_INVALID, ACCOUNT_DELETED, AUTH_ACCOUNT_DISABLED, AUTH_EMAIL_NOT_VERIFIED */
  async requireVisitor(request: AccountPageRequest): Promise<Visitor> {
    const cookie = this.options.cookies.session(request);
    if (cookie === null) throw new ApiError('AUTH_SESSION_INVALID');
    return { ...(await this.options.sessions.findBrowser(cookie)), cookie };
  }

  /** True if a page of this site sent the request: a browser says so itself. */
  isFromHere(request: AccountPageRequest): boolean {
    return this.options.forms.isFromHere(request);
  }

  /** Person of a page that needs one, or the reply that leads to the sign-in and from there back to this page. */
  async pageSession(request: AccountPageRequest): Promise<Visitor | RawReply> {
    const visitor = await this.visitor(request);
    if (visitor !== null) return visitor;
    const next = request.method === 'GET' || request.method === 'HEAD' ? request.url : HOME_OF_ACCOUNTS;
    return redirect(request, `/sign-in?next=${encodeURIComponent(next)}`);
  }

  /** Page that the address of a request leads to after the sign-in. */
  nextOf(request: AccountPageRequest): string {
    const { cookies, publicUrl } = this.options;
    const asked = new URLSearchParams(request.url.split('?')[1]).get('next');
    return safeNext(asked ?? cookies.signInNext(request), publicUrl);
  }

  /** Field with the token of the form at a path, which `readForm` checks. `cookie`: of the session or of the sign-in. */
  formToken(path: string, cookie: string): Html {
    return html`<input type="hidden" name="${FORM_TOKEN}" value="${this.options.forms.token(path, cookie)}">`;
  }

  /** Address of a page that starts to link an external account: its token shows that a page of this site led there. */
  linkAddress(path: string, cookie: string): string {
    return `${path}?link=${this.options.forms.token(path, cookie)}`;
  }

  /** Person of a request for a `linkAddress`, or the reply that leads to the sign-in. @throws ApiError FORBIDDEN, AUTH_2FA_REQUIRED */
  async linking(request: AccountPageRequest): Promise<Visitor | RawReply> {
    const visitor = await this.pageSession(request);
    if ('raw' in visitor) return visitor;
    const [path = '', query] = request.url.split('?');
    this.options.forms.checkToken(new URLSearchParams(query).get('link'), path, visitor.cookie);
    requireFresh(visitor);
    return visitor;
  }

  /** Fields of a form of the browser with this cookie. @throws ApiError FORBIDDEN */
  readForm(request: AccountPageRequest, cookie: string | null): URLSearchParams {
    return this.options.forms.read(request, cookie);
  }

  /** Cookie that binds a sign-in to the browser, and the header that sets it if the request has none. */
  signInCookie(request: AccountPageRequest): { readonly cookie: string; readonly cookies: readonly string[] } {
    const { cookies } = this.options;
    const known = cookies.signIn(request);
    const cookie = known ?? randomBytes(16).toString('base64url');
    return { cookie, cookies: known === null ? [cookies.setSignIn(cookie)] : [] };
  }

  /** Cookie of a sign-in under way; null if the request has none. */
  signInCookieOf(request: AccountPageRequest): string | null {
    return this.options.cookies.signIn(request);
  }

  /** Header that binds a sign-in which began to the browser. */
  newSignInCookie(challenge: string): string {
    return this.options.cookies.setSignIn(challenge);
  }

  /** As `newSignInCookie`, for a sign-in that leads over another site: it also keeps the page to go to. */
  newDetourCookie(request: AccountPageRequest, challenge: string): string {
    return this.options.cookies.setSignIn(challenge, this.nextOf(request));
  }

  /** Runs a sign-in: leads on to its page with the cookie of the session, if it opened one, or to the second step. @throws ApiError for any other refusal */
  async signedIn(request: AccountPageRequest, work: () => Promise<SignedIn<BrowserSession> | null>): Promise<RawReply> {
    const { cookies } = this.options;
    const next = this.nextOf(request);
    try {
      const opened = await work();
      const session = opened === null ? [] : [cookies.setSession(opened.tokens.cookie)];
      return redirect(request, next, [...session, cookies.clearSignIn()]);
    } catch (error) {
      const challenge = error instanceof ApiError ? error.meta?.['challenge'] : undefined;
      if (typeof challenge !== 'string') throw error;
      return redirect(request, `/sign-in/factor?next=${encodeURIComponent(next)}`, [cookies.setSignIn(challenge)]);
    }
  }

  /** Header that gives a session a new cookie. */
  newCookie(value: string): string {
    return this.options.cookies.setSession(value);
  }

  /** Header that takes the cookie of the session away. */
  get clearedSession(): string {
    return this.options.cookies.clearSession();
  }

  /** Headers that take both cookies away. */
  get cleared(): readonly string[] {
    return [this.options.cookies.clearSession(), this.options.cookies.clearSignIn()];
  }
}

/** Reply that leads to another page of this site; the language that the address names stays. */
export function redirect({ url }: { url: string }, path: string, cookies: readonly string[] = []): RawReply {
  const language = chosenLocale(url);
  const Location = language === null ? path : withLocale(path, language);
  return { status: 303, raw: { contentType: 'text/html; charset=utf-8', body: '' }, headers: { Location }, cookies };
}

/** Names of fields, as their forms have them. */
const labels: Readonly<Record<string, 'email' | 'password' | 'code' | undefined>> = {
  email: 'email',
  password: 'password',
  otp: 'code',
  code: 'code',
};

/** A refusal above a form: the message of its code, unless that only refers to the fields, and what is wrong with each field. */
export function refusalHtml(error: ApiError | null, locale: Locale): Html | null {
  if (error === null) return null;
  const details = Object.entries(error.details ?? {}).flatMap(([field, found]) => {
    const label = labels[field];
    const name = label === undefined ? null : html`<strong>${accountTexts[locale][label]}</strong>: `;
    return found.map(({ message }) => {
      const { text, locale: language } = messageIn(message, locale);
      return html`<p>${name}<span lang="${language}">${text}</span></p>`;
    });
  });
  const isOfFields = error.code === 'VALIDATION_FAILED' && details.length > 0;
  return html`<div class="refusal" role="alert">${!isOfFields && html`<p class="bad">${messageOf(error, locale)}</p>`}${details}</div>`;
}
