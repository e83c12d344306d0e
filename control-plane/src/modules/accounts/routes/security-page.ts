import { Type } from 'typebox';
import type { Actor } from '../../../audit-log/actor.js';
import { requireFresh } from '../../../http/access.js';
import { ApiError } from '../../../http/errors.js';
import type { Locale } from '../../../http/locale.js';
import { type Html, html } from '../../../http/pages/html.js';
import { renderPage } from '../../../http/pages/page.js';
import { defineRoute, type RawReply, type Services } from '../../../http/route.js';
import { exportHeaders } from '../account-export.js';
import type { StepUpProof } from '../factors/step-up.js';
import { type AccountPageRequest, redirect, refusalHtml, type Visitor } from '../pages/account-pages.js';
import { accountTexts } from '../pages/account-texts.js';
import { HOME_OF_ACCOUNTS } from '../pages/next.js';
import { FORM_BYTES } from '../pages/page-forms.js';
import { newPasskeyAnswer, type PasskeyOffer, passkeyAnswer, passkeyScript } from '../pages/passkey-form.js';
import { securityView } from '../pages/security-view.js';
import { messages } from '../profile/messages.js';
import { signInLimit } from './limits.js';
import { signInBy } from './sign-in-by.js';
import { queryOf } from './sign-in-pages.js';

const page = {
  path: HOME_OF_ACCOUNTS,
  tag: 'Pages',
  auth: { kind: 'none' },
  replyKind: 'html',
  isDocumented: false,
  replies: Object.fromEntries([200, 303, 400, 401, 403, 404, 409, 429].map((status) => [status, Type.String()])),
} as const;

/** GET /account/security: what protects the account, and where it is signed in. */
export const securityPage = defineRoute({
  ...page,
  operationId: 'getSecurityPage',
  method: 'GET',
  summary: 'Account and security',
  errors: [],
  async handle(request, services) {
    const visitor = await services.accounts.pages.pageSession(request);
    return 'raw' in visitor ? visitor : show(request, services, visitor, {});
  },
});

/** POST /account/security: one act of the page, named by the field `act`. */
export const changeSecurity = defineRoute({
  ...page,
  operationId: 'postSecurityPage',
  method: 'POST',
  summary: 'Change what protects the account',
  limit: signInLimit,
  rawBody: { keepBytes: FORM_BYTES },
  errors: ['FORBIDDEN'],
  async handle(request, services) {
    const { pages } = services.accounts;
    const visitor = await pages.pageSession(request);
    if ('raw' in visitor) return visitor;
    const fields = pages.readForm(request, visitor.cookie);
    const act = acts[fields.get('act') ?? ''];
    if (act === undefined) throw new ApiError('VALIDATION_FAILED');
    try {
      const { userId, sessionId } = visitor;
      if (!act.isOpen) {
        requireFresh(visitor);
        const { email_verified: isVerified } = await services.accounts.users.getProfile(userId);
        if (!isVerified && !act.isForUnverified) throw new ApiError('ACCOUNT_EMAIL_UNVERIFIED');
      }
      const actor = { ...signInBy(request).actor, userId, credentialId: sessionId };
      const outcome = await act.run({ visitor, fields, actor, locale: request.locale, services });
      if (outcome.isSignedOut) return redirect(request, '/sign-in', pages.cleared);
      if (
        outcome.notice !== undefined ||
        outcome.newCodes !== undefined ||
        outcome.isSettingUp ||
        outcome.newPasskey !== undefined
      )
        return await show(request, services, { ...visitor, cookie: outcome.cookie ?? visitor.cookie }, outcome);
      if (outcome.file !== undefined) return fileReply(outcome.file);
      const cookies = outcome.cookie === undefined ? [] : [pages.newCookie(outcome.cookie)];
      const next = fields.get('act') === 'confirm' ? pages.nextOf(request) : `${HOME_OF_ACCOUNTS}${queryOf(request)}`;
      return redirect(request, next, cookies);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      return show(request, services, visitor, { error, isSettingUp: fields.get('act') === 'enable' });
    }
  },
});

interface ActRequest {
  readonly visitor: Visitor;
  readonly fields: URLSearchParams;
  readonly actor: Actor;
  readonly locale: Locale;
  readonly services: Services;
}

interface ActOutcome {
  readonly newCodes?: readonly string[];
  readonly isSettingUp?: boolean;
  readonly newPasskey?: PasskeyOffer;
  /** Text about what was done. */
  readonly notice?: string;
  readonly isSignedOut?: true;
  /** Data to keep as a file. */
  readonly file?: object;
  /** New cookie of the session, after a factor has changed. */
  readonly cookie?: string;
}

interface Act {
  /** True if the session need not be fresh, nor the address verified. */
  readonly isOpen?: true;
  /** True if the session must be fresh, and the address need not be verified. */
  readonly isForUnverified?: true;
  run(request: ActRequest): Promise<ActOutcome>;
}

const acts: Readonly<Record<string, Act | undefined>> = {
  confirm: {
    isOpen: true,
    async run({ visitor, fields, actor, services }) {
      await services.accounts.stepUp.prove(proofOf(fields), { ...visitor, actor });
      return {};
    },
  },
  resend: {
    isOpen: true,
    async run({ visitor, locale, services }) {
      await services.accounts.recovery.resendVerification(visitor.userId);
      return { notice: linkMailed(services, locale) };
    },
  },
  'send-code': {
    isOpen: true,
    async run({ visitor, actor, locale, services: { accounts } }) {
      const { email } = await accounts.users.getProfile(visitor.userId);
      await accounts.emailCodes.request(email, actor);
      return { notice: accounts.sendsMail ? accountTexts[locale].codeSent(email) : messages.codeNotSent[locale] };
    },
  },
  'set-up': {
    async run({ visitor, actor, services }) {
      await services.accounts.secondFactor.setUp(visitor.userId, actor);
      return { isSettingUp: true };
    },
  },
  enable: {
    async run(request) {
      const { visitor, fields, actor, services } = request;
      const newCodes = await services.accounts.secondFactor.enable(visitor.userId, fields.get('otp') ?? '', actor);
      return { newCodes, cookie: await renewed(request) };
    },
  },
  disable: {
    async run(request) {
      const { visitor, fields, actor, services } = request;
      await services.accounts.secondFactor.disable(visitor.userId, fields.get('otp') ?? '', actor);
      return { cookie: await renewed(request) };
    },
  },
  'new-passkey': {
    async run({ visitor, services }) {
      return { newPasskey: await services.accounts.passkeys.startRegistration(visitor.userId) };
    },
  },
  'add-passkey': {
    async run(request) {
      const { visitor, fields, actor, services } = request;
      await services.accounts.passkeys.register(visitor.userId, newPasskeyAnswer(fields), actor);
      return { cookie: await renewed(request) };
    },
  },
  'remove-passkey': {
    async run(request) {
      const { visitor, fields, actor, services } = request;
      await services.accounts.passkeys.remove(visitor.userId, fields.get('passkey') ?? '', actor);
      return { cookie: await renewed(request) };
    },
  },
  unlink: {
    async run(request) {
      const { visitor, fields, actor, services } = request;
      await services.accounts.externalSignIn.unlink(visitor.userId, fields.get('identity') ?? '', actor);
      return { cookie: await renewed(request) };
    },
  },
  'renew-codes': {
    async run({ visitor, actor, services }) {
      return { newCodes: await services.accounts.secondFactor.renewCodes(visitor.userId, actor) };
    },
  },
  // an unverified account may take back its address, and leave
  'change-email': {
    isForUnverified: true,
    async run({ visitor: { userId, sessionId }, fields, actor, locale, services }) {
      await services.accounts.emailChange.request(userId, fields.get('email') ?? '', { actor, sessionId });
      return { notice: linkMailed(services, locale) };
    },
  },
  export: {
    isForUnverified: true,
    async run({ visitor: { userId, sessionId }, services }) {
      return { file: await services.accounts.accountExport.read(userId, sessionId) };
    },
  },
  delete: {
    isForUnverified: true,
    async run({ visitor: { userId, freshness }, actor, services }) {
      await services.accounts.deletion.delete(userId, { password: null, freshness }, actor);
      return { isSignedOut: true };
    },
  },
  end: {
    isOpen: true,
    async run({ visitor: { userId }, fields, actor, services }) {
      await services.accounts.sessions.end(userId, fields.get('session') ?? '', { actor, isLogout: false });
      return {};
    },
  },
  'end-others': {
    isOpen: true,
    async run({ visitor: { userId, sessionId }, actor, services }) {
      await services.accounts.sessions.endAllBut(userId, sessionId, actor);
      return {};
    },
  },
};

/** Proof in the form that confirms a session: the field that it has. */
function proofOf(fields: URLSearchParams): StepUpProof {
  if (fields.has('response')) return { passkey: passkeyAnswer(fields) };
  const [otp, code] = [fields.get('otp'), fields.get('code')];
  if (otp !== null) return { otp };
  return code !== null ? { code } : { password: fields.get('password') ?? '' };
}

/** New cookie of the session: one that was copied before the change ends. */
function renewed({ visitor, services }: ActRequest): Promise<string> {
  return services.accounts.sessions.renewCookie(visitor.sessionId);
}

function linkMailed({ accounts: { sendsMail } }: Services, locale: Locale): string {
  return (sendsMail ? messages.verificationSent : messages.verificationNotSent)[locale];
}

/** The same as the operation `exportAccount` returns. */
function fileReply(data: object): RawReply {
  const body = `${JSON.stringify({ data }, null, 2)}\n`;
  return { status: 200, raw: { contentType: 'application/json; charset=utf-8', body }, headers: exportHeaders };
}

async function show(
  request: AccountPageRequest,
  { accounts: { pages, secondFactor, sessions, users, passkeyCheck, methods } }: Services,
  visitor: Visitor,
  {
    error = null,
    newCodes = [],
    isSettingUp = false,
    notice,
    newPasskey,
    cookie,
  }: ActOutcome & { readonly error?: ApiError | null },
): Promise<RawReply> {
  const title = accountTexts[request.locale].security;
  const token = pages.formToken(HOME_OF_ACCOUNTS, visitor.cookie);
  const action = `${HOME_OF_ACCOUNTS}${queryOf(request)}`;
  const form = (act: string, content: Html, more: Readonly<Record<string, string>> = {}) => html`
<form class="stacked" method="post" action="${action}">${token}<input type="hidden" name="act" value="${act}">${Object.entries(
    more,
  ).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}${content}</form>`;
  const { userId, freshness } = visitor;
  const confirms = !freshness.isFresh && freshness.factors.includes('passkey');
  const facts = {
    visitor,
    profile: await users.getProfile(userId),
    factors: await secondFactor.list(userId),
    setup: isSettingUp ? await secondFactor.pending(userId) : null,
    newCodes,
    newPasskey: newPasskey ?? null,
    confirming: confirms ? await passkeyCheck.start() : null,
    token,
    action,
    providers: methods.providers.map((provider) => ({
      ...provider,
      link: pages.linkAddress(`/sign-in/oauth/${provider.id}`, visitor.cookie),
    })),
    sessions: await sessions.list(userId),
    form,
    signOutToken: pages.formToken('/sign-out', visitor.cookie),
  };
  const content = html`<h1>${title}</h1>${refusalHtml(error, request.locale)}${notice !== undefined && html`<p class="good" role="status">${notice}</p>`}${securityView(facts, request.locale)}`;
  const reply = renderPage(request, { error, title, content, script: passkeyScript });
  return { ...reply, ...(cookie === undefined ? {} : { cookies: [pages.newCookie(cookie)] }) };
}
