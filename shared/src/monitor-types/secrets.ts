/** Request headers whose values are sealed: those with one of these in their names. */
const secretHeaders = [
  '*auth*',
  '*cookie*',
  '*credential*',
  '*key*',
  '*pass*',
  '*secret*',
  '*session*',
  '*signature*',
  '*token*',
];

/** What is sealed of the settings of an HTTP request. */
export const httpSecrets = [
  'auth.password',
  'auth.token',
  'client_certificate.certificate',
  'client_certificate.private_key',
  ...secretHeaders.map((name) => `headers.${name}`),
];

/**
 * Where a config has values that are sealed: each path as its members, since names of headers may have dots. `secrets`
 * are those of its type: `parent.name` is one value, `parent.*part*` every one whose name has that in it, in any case.
 */
export function secretPathsIn(config: Readonly<Record<string, unknown>>, secrets: readonly string[]): string[][] {
  const parents = Object.entries(config).filter(([, value]) => typeof value === 'object' && value !== null);
  return parents.flatMap(([parent, members]) =>
    Object.keys(members as object)
      .filter((member) => secrets.some((secret) => isMeant(secret, parent, member)))
      .map((member) => [parent, member]),
  );
}

function isMeant(secret: string, parent: string, member: string): boolean {
  const dot = secret.indexOf('.');
  if (secret.slice(0, dot) !== parent) return false;
  const [wanted, name] = [secret.slice(dot + 1), member.toLowerCase()];
  return wanted.startsWith('*') ? name.includes(wanted.slice(1, -1)) : name === wanted;
}

/** Characters of a piece of a header that is a secret by itself; shorter ones are schemes and names. */
const MIN_PIECE_LENGTH = 8;

/** Texts that no message about a request may show: its sealed values, and what a server may repeat of them by itself. */
export function secretTexts(
  config: {
    readonly auth?: { readonly password?: string; readonly token?: string } | undefined;
    readonly headers: Readonly<Record<string, string>>;
  },
  authorization: string | null,
): string[] {
  const { auth = {}, headers } = config;
  const sealed = secretPathsIn({ headers }, httpSecrets).map(([, name = '']) => headers[name] ?? '');
  const values = authorization === null ? sealed : [...sealed, authorization];
  const pieces = values.flatMap((value) => value.split(/[;,=\s]+/)).filter(({ length }) => length >= MIN_PIECE_LENGTH);
  return [...values, ...pieces, auth.password ?? '', auth.token ?? ''].filter((text) => text !== '');
}
