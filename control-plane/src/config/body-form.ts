/** Form of the body of a request, by which values are written into its template. */
export type BodyForm = 'json' | 'form' | 'xml' | 'text';

/** Content types whose bodies may have placeholders, for messages. */
export const bodyTypes =
  'application/json, application/x-www-form-urlencoded, application/xml, text/xml, text/plain, or a type that ends with +json or +xml; in UTF-8';

/** Content-Type among the headers of a request, or null. */
export function contentTypeIn(headers: Readonly<Record<string, string>>): string | null {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? null;
}

/** Form of a body with this Content-Type; null if there is no rule by which values could be written into it. */
export function bodyFormOf(contentType: string): BodyForm | null {
  const [essence = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  // other encodings than the one it is sent in may give characters a meaning that the rule does not know
  if (!parameters.every((parameter) => /^charset="?utf-8"?$/.test(parameter))) return null;
  if (essence === 'application/json' || /^[\w.-]+\/[\w.-]+\+json$/.test(essence)) return 'json';
  if (essence === 'application/x-www-form-urlencoded') return 'form';
  if (essence === 'application/xml' || essence === 'text/xml' || /^[\w.-]+\/[\w.-]+\+xml$/.test(essence)) return 'xml';
  return essence === 'text/plain' ? 'text' : null;
}
