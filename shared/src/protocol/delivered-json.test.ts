import fc from 'fast-check';
import t from 'tap';
import { findUnstorableText } from '../text.js';
import { parseDelivered } from './delivered-json.js';
import { MAX_RESULT_BYTES } from './limits.js';

const bytes = (json: string) => Buffer.from(json);

t.test('delivered data is JSON that can be stored, or is refused', async (t) => {
  t.strictSame(parseDelivered(bytes('{"a":["\\u00e9","ü",1]}')), { a: ['é', 'ü', 1] });
  const refused = ['', '{', '"\u0000"', '"\\u0000"', '{"\\ud800":1}', '["\\\\\\udfff"]'];
  for (const json of refused) t.equal(parseDelivered(bytes(json)), undefined, json);
  t.equal(parseDelivered(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])), undefined, 'a surrogate in UTF-8');
  t.equal(parseDelivered(bytes(`"${'x'.repeat(MAX_RESULT_BYTES)}"`)), undefined, 'too large');
  t.equal(parseDelivered(bytes('"\\\\u0000"')), '\\u0000', 'a backslash before a letter is no escape');
});

t.test('no text that cannot be stored gets through, however it is written', async () => {
  const unit = fc.oneof(
    fc.constantFrom(
      '\\u0000',
      '\\ud83d',
      '\\ude00',
      '\\ud83d\\ude00',
      '\\\\',
      '\\u0041',
      'é',
      '😀',
      '\u0000',
      '\ud800',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(unit), fc.boolean(), (units, isKey) => {
      const text = `"${units.join('')}"`;
      const value = parseDelivered(bytes(isKey ? `{${text}:1}` : `[${text}]`));
      return value === undefined || findUnstorableText(value) === null;
    }),
  );
});
