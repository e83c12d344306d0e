import { type AddNote, EntryError } from '../entry/entry.js';
import type { Fields } from '../entry/fields.js';
import { sendableHeaders } from '../entry/headers.js';
import { splitCredentials } from '../entry/targets.js';
import { MAX_TEXT } from '../yaml/read-file.js';

/** Values of placeholders in a body. */
interface Placeholders {
  readonly name: string;
  readonly group: string;
  readonly url: string;
}

/** Request settings of an endpoint of HTTP. */
export function gatusRequest(fields: Fields, known: Placeholders, note: AddNote): Readonly<Record<string, unknown>> {
  const written = fields.text('body');
  const isGraphql = fields.flag('graphql') === true;
  const headers = fields.texts('headers') ?? {};
  const own = sendableHeaders(headers, splitCredentials(known.url).url, note);
  const text = written === null ? null : filled(written, known, note);
  const body = text !== null && isGraphql ? JSON.stringify({ query: text }) : text;
  const isTyped = Object.keys(own).some((name) => name.toLowerCase() === 'content-type');
  return {
    method: (fields.text('method') ?? 'GET').toUpperCase(),
    headers: isGraphql && !isTyped ? { ...own, 'Content-Type': 'application/json' } : own,
    ...(body === null ? {} : { body }),
  };
}

function filled(body: string, { name, group, url }: Placeholders, note: AddNote): string {
  if (/\[LOCAL_ADDRESS\]|\[RANDOM_STRING_\d+\]/.test(body))
    note('body', 'has placeholders that are sent unchanged: LOCAL_ADDRESS and RANDOM_STRING are not supported');
  const values = { '[ENDPOINT_NAME]': name, '[ENDPOINT_GROUP]': group, '[ENDPOINT_URL]': url };
  const added = Object.entries(values).map(
    ([placeholder, value]) => (body.split(placeholder).length - 1) * value.length,
  );
  if (added.reduce((sum, length) => sum + length, body.length) > MAX_TEXT)
    throw new EntryError('body', 'length', `must not have more than ${MAX_TEXT} characters`);
  return Object.entries(values).reduce((text, [placeholder, value]) => text.replaceAll(placeholder, () => value), body);
}
