import { SecretMask } from '../../../deliver/index.js';
import type { Locale } from '../../../http/locale.js';
import { renderMail } from '../../../mail/render.js';
import type { MailContent } from '../../../mail/template.js';
import type { TypeRequest } from '../types/channel-type.js';
import { MASK, maskRecipient, storable } from './masking.js';

/** Request as people see it, secrets and links masked. A mail has the method `SMTP`. */
export interface ShownRequest {
  readonly method: string;
  /** At most 2 048 characters. */
  readonly url: string;
  /** Values of at most 1 024 characters. */
  readonly headers: Readonly<Record<string, string>>;
  /** At most 16 384 characters. */
  readonly body: string;
}

const MAX_URL = 2_048;
const MAX_HEADER = 1_024;
const MAX_BODY = 16_384;

/** A request as people see it. `secrets`: texts that must not appear in it, in addition to those that it names. */
export function shownRequest(
  { method, url, headers = {}, body = '', secrets: own = [] }: TypeRequest,
  secrets: readonly string[],
): ShownRequest {
  const mask = SecretMask.of([...secrets, ...own]);
  const masked = (text: string, most: number) => storable(mask.apply(text).slice(0, most));
  return {
    method,
    url: masked(url, MAX_URL),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, masked(value, MAX_HEADER)])),
    body: masked(typeof body === 'string' ? body : Buffer.from(body).toString(), MAX_BODY),
  };
}

/** A mail as people see it. */
export function shownMail(
  {
    content,
    headers = {},
    to,
    locale,
  }: {
    readonly content: MailContent;
    readonly headers?: Readonly<Record<string, string>>;
    readonly to: string;
    readonly locale: Locale;
  },
  secrets: readonly string[],
): ShownRequest {
  const { subject, text } = renderMail(content, locale);
  const mail = { headers: { Subject: subject, ...headers }, body: text };
  const { headers: shown, body } = shownRequest({ method: 'POST', url: '', ...mail }, secrets);
  return { method: 'SMTP', url: `mailto:${maskRecipient(to)}`, headers: shown, body };
}

/** Length from which a path is one with a token. */
const SHORTEST_TOKEN = 8;

/** Parts of addresses of this service that act for anyone who has them. */
export function secretsOfLinks(urls: readonly string[]): readonly string[] {
  const paths = urls.filter((url) => URL.canParse(url)).map((url) => new URL(url));
  return paths
    .map(({ pathname, search }) => `${pathname}${search}`.slice(1))
    .filter((path) => path.length >= SHORTEST_TOKEN);
}

/** An address of this service whose secret is masked. */
export function maskedLink(url: string): string {
  return URL.canParse(url) ? `${new URL(url).origin}/${MASK}` : MASK;
}
