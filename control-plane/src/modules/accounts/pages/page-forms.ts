import { isSameHash } from '@vantage/shared/tokens.js';
import { ApiError, fieldError } from '../../../http/errors.js';
import type { RouteRequest } from '../../../http/route.js';

/** Greatest size of a form, in bytes. */
export const FORM_BYTES = 8_192;

/** Name of the field with the token of a form. */
export const FORM_TOKEN = 'form_token';

type FormRequest = Pick<RouteRequest<unknown, unknown, unknown>, 'header' | 'rawBody' | 'url'>;

/** Forms of pages that act for a person: each has a token that only this browser's page has, and comes from a page of this site. */
export class PageForms {
  readonly #origin: string;
  readonly #hash: (text: string) => Buffer;

  constructor(publicUrl: string, hash: (text: string) => Buffer) {
    this.#origin = new URL(publicUrl).origin;
    this.#hash = hash;
  }

  /** Token of the form at a path, for the browser with a cookie. */
  token(path: string, cookie: string): string {
    return this.#hash(`${path}\n${cookie}`).toString('base64url');
  }

  /**
   * Fields of a form that the browser with this cookie sent from a page of this site.
   * @throws ApiError FORBIDDEN for any other, VALIDATION_FAILED for one that is too large
   */
  read(request: FormRequest, cookie: string | null): URLSearchParams {
    if (request.rawBody.isCut) throw fieldError('body', 'length', `must be at most ${FORM_BYTES} bytes`);
    const fields = new URLSearchParams(request.rawBody.bytes.toString('utf8'));
    const path = request.url.split('?')[0] ?? '';
    this.checkToken(fields.get(FORM_TOKEN), path, cookie);
    if (!this.isFromHere(request)) throw formRefused();
    return fields;
  }

  /** @throws ApiError FORBIDDEN unless this is the token of the path for the browser with this cookie */
  checkToken(token: string | null, path: string, cookie: string | null): void {
    const given = Buffer.from(token ?? '', 'base64url');
    if (cookie === null || !isSameHash(given, this.#hash(`${path}\n${cookie}`))) throw formRefused();
  }

  /** Fetch metadata say where a request is from (Fetch Metadata section 2); without them, the Origin does. */
  isFromHere(request: Pick<FormRequest, 'header'>): boolean {
    const site = request.header('sec-fetch-site');
    return site === null ? request.header('origin') === this.#origin : site === 'same-origin';
  }
}

function formRefused(): ApiError {
  const message =
    'the form is not from this page, or was open too long; go back, load the page again and send it once more';
  return new ApiError('FORBIDDEN', { details: { form: [{ code: 'refused', message }] } });
}
