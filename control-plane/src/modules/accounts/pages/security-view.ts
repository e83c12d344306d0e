import type { Locale } from '../../../http/locale.js';
import { type Html, html } from '../../../http/pages/html.js';
import type { SecondFactor } from '../factors/second-factor.js';
import type { Profile } from '../profile/profile.js';
import type { SessionRow } from '../sessions/session-store.js';
import type { Visitor } from './account-pages.js';
import { type AccountTexts, accountTexts } from './account-texts.js';
import { type PasskeyOffer, passkeyForm } from './passkey-form.js';
import { passkeyTexts } from './passkey-texts.js';
import { programName } from './program-name.js';
import { qrPicture } from './qr-picture.js';

/** Facts that the page about an account shows. */
export interface SecurityFacts {
  readonly visitor: Visitor;
  readonly profile: Profile;
  readonly factors: Awaited<ReturnType<SecondFactor['list']>>;
  /** Secret that waits for its first code; null if the person does not set one up. */
  readonly setup: { readonly secret: string; readonly otpauthUrl: string } | null;
  /** Options of a passkey that is being added; null if none is. */
  readonly newPasskey: PasskeyOffer | null;
  /** Options of a passkey that confirms the session; null if it needs none, or has none. */
  readonly confirming: PasskeyOffer | null;
  /** External providers that accounts can be linked at: `link` is the address that starts it. */
  readonly providers: readonly { readonly id: string; readonly name: string; readonly link: string }[];
  /** Field with the token of the forms. */
  readonly token: Html;
  /** Address that forms are sent to. */
  readonly action: string;
  /** Recovery codes that were just created, which are shown this once. */
  readonly newCodes: readonly string[];
  readonly sessions: readonly SessionRow[];
  /** Field that the form to sign out needs. */
  readonly signOutToken: Html;
  /** A form that does an act: `content` is below its hidden fields. */
  form(act: string, content: Html, more?: Readonly<Record<string, string>>): Html;
}

/** Content of the page about an account: who is signed in, what protects it, and where it is signed in. */
export function securityView(facts: SecurityFacts, locale: Locale): Html {
  const text = accountTexts[locale];
  const { profile } = facts;
  const isFresh = facts.visitor.freshness.isFresh;
  return html`
<p>${text.signedInAs(profile.email)}</p>
${!profile.email_verified && html`<p class="warn">${text.unverified}</p>${facts.form('resend', html`<button class="quiet">${text.resend}</button>`)}`}
<form method="post" action="/sign-out">${facts.signOutToken}<button class="quiet">${text.signOut}</button></form>
${facts.newCodes.length > 0 && codesSection(facts.newCodes, text)}
${!isFresh && confirmSection(facts, text, locale)}
<h2>${text.passwordTitle}</h2>
<p>${profile.has_password ? text.passwordSet : text.passwordNone} <a href="/forgot-password">${text.forgotTitle}</a></p>
<h2>${text.totp}</h2>
${totpSection(facts, text, locale)}
<h2>${text.passkeys}</h2>
${passkeysSection(facts, text, locale)}
<h2>${text.identities}</h2>
${identitiesSection(facts, text, locale)}
<h2>${text.sessions}</h2>
${sessionsTable(facts, text, locale)}
${isFresh && leaving(facts, text)}`;
}

function codesSection(codes: readonly string[], text: AccountTexts): Html {
  return html`<section class="raised"><h2>${text.codesTitle}</h2>
<p>${text.codesNote}</p>
<pre>${codes.join('\n')}</pre></section>`;
}

/** Asks for the proof that makes the session fresh: the code where there is a second factor, else the password, else a mailed code. */
function confirmSection(
  { visitor, form, token, action, confirming }: SecurityFacts,
  text: AccountTexts,
  locale: Locale,
): Html {
  const { factors } = visitor.freshness;
  if (factors.includes('email_code')) {
    const field = html`<label>${text.code}<input name="code" autocomplete="one-time-code" inputmode="numeric" required maxlength="32"></label>`;
    return html`<section class="raised"><h2>${text.confirmTitle}</h2>
<p>${text.confirmAsk}</p>
${form('send-code', html`<button class="quiet">${text.codeSend}</button>`)}
${form('confirm', html`${field}<button>${text.confirm}</button>`)}</section>`;
  }
  const field = factors.includes('totp')
    ? html`<label>${text.code}<input name="otp" autocomplete="one-time-code" required maxlength="32" spellcheck="false"></label>`
    : html`<label>${text.password}<input type="password" name="password" autocomplete="current-password" required maxlength="1024"></label>`;
  const asks = factors.includes('totp') || factors.includes('password');
  const says = passkeyTexts[locale];
  const hidden = html`${token}<input type="hidden" name="act" value="confirm">`;
  return html`<section class="raised"><h2>${text.confirmTitle}</h2>
<p>${asks || confirming !== null ? text.confirmAsk : text.confirmNone}</p>
${asks && form('confirm', html`${field}<button>${text.confirm}</button>`)}
${confirming !== null && passkeyForm(confirming, { action, kind: 'get', fields: hidden, button: says.confirm, text: says })}</section>`;
}

function passkeysSection(facts: SecurityFacts, text: AccountTexts, locale: Locale): Html {
  const { visitor, profile, factors, form, newPasskey, token, action } = facts;
  const says = passkeyTexts[locale];
  const isFresh = visitor.freshness.isFresh && profile.email_verified;
  const own = factors.passkeys.map(
    ({ id, name, last_used_at: used }) => html`<li>${name}, ${usedText(used, text, locale)}
${isFresh && form('remove-passkey', html`<button class="quiet">${says.remove}</button>`, { passkey: id })}</li>`,
  );
  const fields = html`${token}<input type="hidden" name="act" value="add-passkey"><p>${says.addAsk}</p>
<label>${says.name}<input name="name" required maxlength="64" autofocus></label>`;
  return html`${own.length === 0 ? html`<p>${text.noPasskeys}</p>` : html`<ul>${own}</ul>`}
${isFresh && newPasskey === null && form('new-passkey', html`<button class="quiet">${says.add}</button>`)}
${isFresh && newPasskey !== null && passkeyForm(newPasskey, { action, kind: 'create', fields, button: says.add, text: says })}`;
}

function identitiesSection(facts: SecurityFacts, text: AccountTexts, locale: Locale): Html {
  const { visitor, profile, factors, form, providers } = facts;
  const isFresh = visitor.freshness.isFresh && profile.email_verified;
  const own = factors.identities.map(({ id, provider, label, last_used_at: used }) => {
    const name = providers.find((offered) => offered.id === provider)?.name ?? provider;
    return html`<li>${label === null ? name : `${name}: ${label}`}, ${usedText(used, text, locale)}
${isFresh && form('unlink', html`<button class="quiet">${passkeyTexts[locale].remove}</button>`, { identity: id })}</li>`;
  });
  const links = providers.map(({ name, link }) => html`<li><a href="${link}">${text.link(name)}</a></li>`);
  return html`${own.length === 0 ? html`<p>${text.noIdentities}</p>` : html`<ul>${own}</ul>`}
${isFresh && links.length > 0 && html`<ul>${links}</ul>`}`;
}

function totpSection(
  { visitor, profile, factors, setup, form }: SecurityFacts,
  text: AccountTexts,
  locale: Locale,
): Html {
  const isFresh = visitor.freshness.isFresh && profile.email_verified;
  const codeField = html`<label>${text.code}<input name="otp" autocomplete="one-time-code" required maxlength="32" spellcheck="false"></label>`;
  if (factors.totp !== null) {
    return html`<p>${text.totpOn(dateText(factors.totp.enabled_at, locale))} ${text.codesLeft(factors.recovery_codes_left)}</p>
${isFresh && form('renew-codes', html`<button class="quiet">${text.newCodes}</button>`)}
${isFresh && form('disable', html`${codeField}<button class="quiet">${text.totpDisable}</button>`)}`;
  }
  if (setup === null || !isFresh) {
    return html`<p>${text.totpOff}</p>
${isFresh && form('set-up', html`<button>${text.totpSetUp}</button>`)}`;
  }
  return html`<p>${text.totpScan}</p>
<p>${qrPicture(setup.otpauthUrl, '')}</p>
<p>${text.totpSecret}: <code>${setup.secret}</code></p>
${form('enable', html`${codeField}<button>${text.totpEnable}</button>`)}`;
}

function sessionsTable({ sessions, visitor, form }: SecurityFacts, text: AccountTexts, locale: Locale): Html {
  const rows = sessions.map(({ id, user_agent: program, address, created_at, last_used_at }) => {
    const isThis = id === visitor.sessionId;
    return html`<tr>
<td class="words" data-title="${text.program}"><span>${program === null ? text.unknownProgram : programName(program)}</span></td>
<td data-title="${text.address}">${address}</td>
<td data-title="${text.since}"><span class="whole">${dateText(created_at.toISOString(), locale)}</span></td>
<td data-title="${text.used}"><span class="whole">${dateText(last_used_at.toISOString(), locale)}</span></td>
<td>${isThis ? html`<span class="whole">${text.thisOne}</span>` : form('end', html`<button class="quiet">${text.end}</button>`, { session: id })}</td>
</tr>`;
  });
  return html`<div class="wide"><table>
<thead><tr><th>${text.program}</th><th>${text.address}</th><th>${text.since}</th><th>${text.used}</th><th></th></tr></thead>
<tbody>${rows}</tbody></table></div>
${sessions.length > 1 && form('end-others', html`<button class="quiet">${text.endOthers}</button>`)}`;
}

function leaving({ form, profile }: SecurityFacts, text: AccountTexts): Html {
  return html`<h2>${text.data}</h2>
<p>${text.dataNote}</p>
${form('export', html`<button class="quiet">${text.dataDownload}</button>`)}
<h2>${text.newEmail}</h2>
${form('change-email', html`<label>${text.email}<input type="email" name="email" autocomplete="email" required maxlength="254"></label><button class="quiet">${text.send}</button>`)}
<h2>${text.leave}</h2>
<p>${profile.email_verified ? text.leaveNote : text.leaveAtOnce}</p>
<details><summary>${text.leave}</summary>${form('delete', html`<button>${text.leaveNow}</button>`)}</details>`;
}

function usedText(used: string | null, text: AccountTexts, locale: Locale): string {
  return used === null ? text.neverUsed : text.lastUsed(dateText(used, locale));
}

function dateText(iso: string, locale: Locale): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(iso));
}
