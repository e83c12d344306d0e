import { Type } from 'typebox';

/** Nodes that secrets may go to, by their owners. */
export const secretReaches = ['own', 'trusted', 'any'] as const;
export type SecretReach = (typeof secretReaches)[number];

/** Setting `allow_secrets_on`, of every type that can have secrets. It is for the control plane: nodes are not sent it. */
export const secretReachField = Type.Enum([...secretReaches], {
  type: 'string',
  default: 'trusted',
  description:
    'Nodes that may receive the secrets, body and headers of these settings: `own`: only yours; `trusted`: yours and those of administrators; `any`: also those of other users, who can read the data on their machines. Without secrets, body or headers it has no effect.',
});

/**
 * Protection of a setting that is not stored in clear. Both kinds are sealed and go only to the nodes of
 * `allow_secrets_on`. A `secret` is never shown again; a `confidential` setting, which may contain a secret, is shown
 * to credentials that may read monitors.
 */
export type Secrecy = 'secret' | 'confidential';

/** The secrecy of a setting by its path, `['body']` or `['headers', 'Accept']`; null if it is stored as it is. */
export type SecrecyOf = (path: readonly string[]) => Secrecy | null;

/** A setting that is sealed: its path as its members, since names of headers may have dots. */
export interface SealedPath {
  readonly path: readonly string[];
  readonly secrecy: Secrecy;
}

/** Parts of the names of request headers whose values are secrets. */
const secretNames = [
  'auth',
  'bearer',
  'cookie',
  'credential',
  'jwt',
  'key',
  'pass',
  'secret',
  'session',
  'signature',
  'token',
];

/** Request headers in which no secret is expected. */
const plainHeaders = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-language',
  'content-type',
  'dnt',
  'if-modified-since',
  'if-none-match',
  'origin',
  'pragma',
  'prefer',
  'range',
  'upgrade-insecure-requests',
  'user-agent',
  'x-requested-with',
]);

const secretSettings = new Set([
  'auth.password',
  'auth.token',
  'client_certificate.certificate',
  'client_certificate.private_key',
]);

/** The secrecy of the settings of an HTTP request. */
export const httpSecrecy: SecrecyOf = (path) => {
  const [parent, member] = path;
  if (parent === 'headers' && member !== undefined) return headerSecrecy(member.toLowerCase());
  if (secretSettings.has(path.join('.'))) return 'secret';
  return parent === 'body' && member === undefined ? 'confidential' : null;
};

function headerSecrecy(name: string): Secrecy | null {
  if (secretNames.some((part) => name.includes(part))) return 'secret';
  return plainHeaders.has(name) ? null : 'confidential';
}

/** Settings of a config that are sealed: by themselves or as members of others. `secrecyOf`: that of its type. */
export function sealedPathsIn(
  config: Readonly<Record<string, unknown>>,
  secrecyOf: SecrecyOf | null,
): readonly SealedPath[] {
  if (secrecyOf === null) return [];
  const given = Object.entries(config).filter(([, value]) => value !== undefined);
  const paths = given.flatMap(([name, value]) => [[name], ...membersOf(value).map((member) => [name, member])]);
  return paths.flatMap((path) => {
    const secrecy = secrecyOf(path);
    return secrecy === null ? [] : [{ path, secrecy }];
  });
}

function membersOf(value: unknown): string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}

/** Characters of a piece of a header that is a secret by itself; shorter ones are schemes and names. */
const MIN_PIECE_LENGTH = 8;

/** Texts that no message about a request may show: its secrets, and what a server may repeat of them by itself. */
export function secretTexts(
  config: {
    readonly auth?: { readonly password?: string; readonly token?: string } | undefined;
    readonly headers: Readonly<Record<string, string>>;
  },
  authorization: string | null,
): string[] {
  const { auth = {}, headers } = config;
  const sealed = Object.entries(headers).flatMap(([name, value]) =>
    httpSecrecy(['headers', name]) === 'secret' ? value : [],
  );
  const values = authorization === null ? sealed : [...sealed, authorization];
  const pieces = values.flatMap((value) => value.split(/[;,=\s]+/)).filter(({ length }) => length >= MIN_PIECE_LENGTH);
  return [...values, ...pieces, auth.password ?? '', auth.token ?? ''].filter((text) => text !== '');
}
