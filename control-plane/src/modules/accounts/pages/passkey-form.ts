import { compileTest } from '@vantage/shared/validation.js';
import type { Static } from 'typebox';
import { ApiError } from '../../../http/errors.js';
import { type Html, html } from '../../../http/pages/html.js';
import type { PasskeyAnswer } from '../factors/passkey-check.js';
import { AuthenticationResponseSchema, RegistrationResponseSchema } from '../factors/schema.js';
import type { PasskeyTexts } from './passkey-texts.js';

/** Asks the browser for a passkey when a form with its options is sent, and sends its response in the form. */
export const passkeyScript = `
for (const form of document.querySelectorAll('form[data-passkey]')) form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const output = form.querySelector('output');
  const { passkey, options, failed, missing } = form.dataset;
  const parse = passkey === 'create' ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON';
  if (!window.PublicKeyCredential?.[parse]) { output.textContent = missing; return; }
  try {
    const publicKey = PublicKeyCredential[parse](JSON.parse(options));
    const credential = await navigator.credentials[passkey]({ publicKey });
    form.elements.response.value = JSON.stringify(credential.toJSON());
    form.submit();
  } catch { output.textContent = failed; }
});
`;

/** Challenge of a passkey, and the options that a browser makes or uses it with. */
export interface PasskeyOffer {
  readonly challenge: string;
  readonly options: object;
}

/** A form whose button asks the browser for a passkey; `content` stands before the button. It needs `passkeyScript`. */
export function passkeyForm(
  { challenge, options }: PasskeyOffer,
  of: {
    readonly action: string;
    readonly kind: 'create' | 'get';
    readonly fields: Html;
    readonly button: string;
    readonly text: PasskeyTexts;
  },
): Html {
  const { action, kind, fields, button, text } = of;
  return html`<form class="stacked" method="post" action="${action}" data-passkey="${kind}" data-options="${JSON.stringify(options)}" data-failed="${text.failed}" data-missing="${text.missing}">
${fields}<input type="hidden" name="challenge" value="${challenge}"><input type="hidden" name="response">
<button>${button}</button>
<output class="bad"></output>
<noscript><p class="bad">${text.needsScript}</p></noscript>
</form>`;
}

/** Answer of a form of kind `get`. @throws ApiError AUTH_WEBAUTHN_CHALLENGE_INVALID */
export function passkeyAnswer(fields: URLSearchParams): PasskeyAnswer {
  return { challenge: fields.get('challenge') ?? '', response: responseOf(isAssertion, fields) };
}

/** Answer of a form of kind `create`. @throws ApiError AUTH_WEBAUTHN_CHALLENGE_INVALID */
export function newPasskeyAnswer(fields: URLSearchParams) {
  const [challenge, name] = [fields.get('challenge') ?? '', (fields.get('name') ?? '').slice(0, 64)];
  return { challenge, name, response: responseOf(isRegistration, fields) };
}

const isAssertion = compileTest(AuthenticationResponseSchema) as Test<Static<typeof AuthenticationResponseSchema>>;
const isRegistration = compileTest(RegistrationResponseSchema) as Test<Static<typeof RegistrationResponseSchema>>;

type Test<T> = (value: unknown) => value is T;

function responseOf<T>(isValid: Test<T>, fields: URLSearchParams): T {
  let response: unknown;
  try {
    response = JSON.parse(fields.get('response') ?? '');
  } catch {
    response = null;
  }
  if (!isValid(response)) throw new ApiError('AUTH_WEBAUTHN_CHALLENGE_INVALID');
  return response;
}
