import t from 'tap';
import { ApiError } from '../errors.js';
import { MAX_JSON_DEPTH, MAX_JSON_KEYS, parseJsonBody } from './json.js';

const parse = (text: string) => parseJsonBody(Buffer.from(text));

function refusal(body: string | Buffer): ApiError {
  try {
    parseJsonBody(Buffer.from(body));
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`"${body.toString().slice(0, 40)}" was accepted`);
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const objects = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
const keys = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`;

t.test('JSON nested 32 deep is read, 33 deep is refused', async (t) => {
  t.ok(parse(nested(MAX_JSON_DEPTH)));
  t.ok(parse(objects(MAX_JSON_DEPTH)));
  t.match(refusal(nested(MAX_JSON_DEPTH + 1)), { code: 'REQUEST_BODY_INVALID', status: 400 });
  t.match(refusal(objects(MAX_JSON_DEPTH + 1)), { code: 'REQUEST_BODY_INVALID', status: 400 });
});

t.test('16 000 brackets, open or closed, are refused without recursion', async (t) => {
  t.match(refusal('['.repeat(16_000)), { code: 'REQUEST_BODY_INVALID' });
  t.match(refusal(nested(16_000)), { code: 'REQUEST_BODY_INVALID' });
  t.match(refusal('{"a":'.repeat(6_000)), { code: 'REQUEST_BODY_INVALID' });
  t.match(refusal(']'.repeat(16_000)), { code: 'REQUEST_BODY_INVALID' });
});

t.test('1000 keys are read, 1001 are refused, wherever they are', async (t) => {
  t.equal(Object.keys(parse(keys(MAX_JSON_KEYS)) as object).length, MAX_JSON_KEYS);
  t.match(refusal(keys(MAX_JSON_KEYS + 1)), { code: 'REQUEST_BODY_INVALID', status: 400 });
  t.ok(parse(`[${keys(500)},${keys(500)}]`));
  t.match(refusal(`[${keys(500)},${keys(501)}]`), { code: 'REQUEST_BODY_INVALID' });
});

t.test('brackets, colons and quotes inside strings count for nothing', async (t) => {
  const text = '[[[{{{:::"\\'.repeat(300);
  t.strictSame(parse(JSON.stringify({ [text]: text })), { [text]: text });
});

t.test('what is not JSON is refused as the body, not as a field', async (t) => {
  for (const body of [
    '{',
    '{a:1}',
    "{'a':1}",
    '[1,]',
    'nul',
    '01',
    '"a',
    '"\t"',
    '\ufeff{}',
    '{} {}',
    'undefined',
    ' ',
  ]) {
    t.match(
      refusal(body),
      { code: 'REQUEST_BODY_INVALID', status: 400, details: { body: [{ code: 'format' }] } },
      body,
    );
  }
});

t.test('bytes that are not UTF-8 are refused', async (t) => {
  for (const hex of ['22ff22', '22c328 22', '22eda08022', '22c080 22', '22f4908080 22']) {
    t.match(refusal(Buffer.from(hex.replaceAll(' ', ''), 'hex')), { code: 'REQUEST_BODY_INVALID' }, hex);
  }
});

t.test('NUL and lone surrogates are refused with the field they are in', async (t) => {
  const cases: Readonly<Record<string, string>> = {
    '{"a":"x\\u0000"}': 'a',
    '{"a":{"b":["ok","\\ud800"]}}': 'a.b.1',
    '{"a":"\\udc00\\ud800"}': 'a',
    '{"a":{"\\u0000":1}}': 'a.\ufffd',
    '"\\ud83d"': 'body',
  };
  for (const [body, path] of Object.entries(cases)) {
    const { code, status, details } = refusal(body);
    t.strictSame([code, status, Object.keys(details ?? {})], ['VALIDATION_FAILED', 400, [path]], body);
  }
  t.equal(parse('"\\ud83d\\ude00\\u00e9"'), '😀é', 'a pair is a character');
});

t.test('a __proto__ key is refused with its path, escaped or not, and changes no prototype', async (t) => {
  for (const key of ['__proto__', '\\u005f_proto__', '__proto\\u005f_']) {
    const { code, details } = refusal(`{"a":[{"${key}":{"isAdmin":true}}]}`);
    t.strictSame([code, Object.keys(details ?? {})], ['VALIDATION_FAILED', ['a.0.__proto__']], key);
  }
  t.equal(Reflect.get({}, 'isAdmin'), undefined);
  t.strictSame(parse('{"text":"__proto__"}'), { text: '__proto__' }, 'as a value it is only text');
});

t.test('of a repeated key the last value applies', async (t) => {
  t.strictSame(parse('{"a":1,"a":2}'), { a: 2 });
});
