/** Content codings other than identity (IANA HTTP Content Coding Registry). */
const contentCodings: ReadonlySet<string> = new Set(
  'aes128gcm br compress dcb dcz deflate exi gzip pack200-gzip x-compress x-gzip zstd'.split(' '),
);

/**
 * Codings that a Content-Encoding header names, in lower case. Servers write much else into it, such as `utf-8` and `none`: that is no
 * coding, as to browsers (Fetch standard, "handle content codings").
 */
export function contentCodingsIn(header: string | undefined): string[] {
  const names = (header ?? '').split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => contentCodings.has(name));
}
