import { compileSchema } from '@vantage/shared/validation.js';
import { type Static, Type } from 'typebox';
import { checked, parseJson, requestable } from './channel-settings.js';
import { isThisMachine, readText, ValueError } from './setting-values.js';

const shared = {
  id: Type.String({ pattern: '^[a-z][a-z0-9-]{0,31}$' }),
  name: Type.String({ pattern: '^[^\\p{C}]{1,64}$' }),
  client_id: Type.String({ minLength: 1, maxLength: 500 }),
  client_secret: Type.String({ minLength: 1, maxLength: 1_000 }),
};
const strict = { additionalProperties: false } as const;

const OidcSchema = Type.Object({ ...shared, kind: Type.Literal('oidc'), issuer: Type.String() }, strict);
const GithubSchema = Type.Object(
  { ...shared, kind: Type.Literal('github'), base_url: Type.Optional(Type.String()) },
  strict,
);

/** Provider of OpenID Connect. */
export type OidcSettings = Readonly<Static<typeof OidcSchema>>;
/** GitHub, or an installation of GitHub Enterprise. */
export type GithubSettings = Readonly<Static<typeof GithubSchema>>;
/** External provider by which people sign in. */
export type ProviderSettings = OidcSettings | GithubSettings;

const checkOidc = compileSchema(OidcSchema);
const checkGithub = compileSchema(GithubSchema);

/** A secret: external providers, from JSON or the file with it. */
export function parseProviders(text: string): readonly ProviderSettings[] {
  const value = parseJson(/[[{"]/.test(text) ? text : readText(text));
  if (!Array.isArray(value)) throw new ValueError('must be a JSON list of providers');
  const providers = value.map((entry, index) => {
    try {
      return parseProvider(entry);
    } catch (error) {
      if (error instanceof ValueError) throw new ValueError(`entry ${index + 1} ${error.message}`);
      throw error;
    }
  });
  const twice = providers.find(({ id }, index) => providers.findIndex((other) => other.id === id) < index);
  if (twice !== undefined) throw new ValueError(`has the id "${twice.id}" twice`);
  return Object.freeze(providers);
}

function parseProvider(entry: unknown): ProviderSettings {
  const { kind } = Object(entry) as { readonly kind?: unknown };
  if (kind === 'oidc') {
    const provider = checked(checkOidc(entry), 'an oidc provider');
    checkAddress(provider.issuer, 'issuer');
    return Object.freeze(provider);
  }
  if (kind !== 'github') throw new ValueError('must have kind oidc or github');
  const provider = checked(checkGithub(entry), 'a github provider');
  if (provider.base_url !== undefined) checkAddress(provider.base_url, 'base_url');
  return Object.freeze(provider);
}

/** Tokens and secrets travel to this address, so they are encrypted except on this machine. @throws ValueError */
function checkAddress(text: string, field: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isEncrypted = url?.protocol === 'https:' || (url?.protocol === 'http:' && isThisMachine(url.hostname));
  const isBare = url?.search === '' && url.hash === '' && url.username === '' && !url.href.includes('/.well-known/');
  if (!isEncrypted || !isBare)
    throw new ValueError(
      `has a wrong ${field}: it must be an https address, or http on this machine, without query, credentials and /.well-known/`,
    );
  requestable(text, field);
}

/** Addresses, divided by commas, to which providers may send the browser back: https, http on this machine, or a scheme of an app (RFC 8252 section 7.1). */
export function parseRedirects(text: string): readonly string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return Object.freeze(entries.filter((entry) => entry !== '').map(parseRedirect));
}

function parseRedirect(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isKnown =
    url !== null &&
    (url.protocol === 'https:' ||
      (url.protocol === 'http:' && isThisMachine(url.hostname)) ||
      /^[a-z][a-z0-9+-]*\.[a-z0-9.+-]+:$/.test(url.protocol));
  if (!isKnown || url.search !== '' || url.hash !== '')
    throw new ValueError(
      `must have https addresses, http addresses on this machine, or addresses like com.example.app:/signed-in, without query and fragment, not "${text}"`,
    );
  return url.href;
}
