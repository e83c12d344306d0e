import type { ConfigProblem } from '../channel-type.js';
import type { Base } from '../settings.js';

/** Where a vendor's hook keeps its credential: a parameter of the query, or the last segment of the path. */
export interface HookForm {
  readonly base: Base;
  /** Name of the field with the credential alone. */
  readonly field: string;
  /** Path of the hook; with `parameter` null it ends before the credential. */
  readonly path: string;
  readonly parameter: string | null;
}

/** Credential of a configuration that has either it or the whole address. Empty if it has neither. */
export function hookCredential(form: HookForm, credential: string | undefined, url: string | undefined): string {
  if (credential !== undefined) return credential;
  return url === undefined ? '' : (credentialIn(form, url) ?? '');
}

/** Address of a hook with its credential, without any other parameter. */
export function hookUrl({ base, path, parameter }: HookForm, credential: string): string {
  const encoded = encodeURIComponent(credential);
  return parameter === null ? `${base.origin}${path}${encoded}` : `${base.origin}${path}?${parameter}=${encoded}`;
}

/** Error of a configuration that must have exactly one of credential and address. */
export function hookProblem(
  form: HookForm,
  credential: string | undefined,
  url: string | undefined,
): ConfigProblem | null {
  const { field } = form;
  if (credential === undefined && url === undefined)
    return { field, code: 'required', message: `is required, unless url is given` };
  if (url === undefined) return null;
  if (credential !== undefined) return { field: 'url', code: 'conflict', message: `must not be given with ${field}` };
  if (URL.canParse(url) && new URL(url).origin !== form.base.origin)
    return { field: 'url', code: 'refused', message: `must begin with ${form.base.origin}` };
  if (credentialIn(form, url) === null)
    return { field: 'url', code: 'format', message: `must be ${hookUrl(form, '')} and the credential` };
  return null;
}

function credentialIn({ path, parameter }: HookForm, text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (parameter !== null) return (url.pathname === path && url.searchParams.get(parameter)) || null;
  const rest = url.pathname.startsWith(path) ? url.pathname.slice(path.length) : '';
  return /^[A-Za-z0-9_-]+$/.test(rest) ? rest : null;
}
