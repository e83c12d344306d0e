import { refusedIPv4, refusedIPv6 } from '@vantage/shared/target-policy/refused-ranges.js';
import { compileCoercingSchema, compileSchema, type FieldErrors } from '@vantage/shared/validation.js';
import t from 'tap';
import { type TSchema, Type } from 'typebox';
import { catalog } from './catalog.js';
import { detailsIn, findTemplate, findUntranslated, messageIn } from './field-messages.js';
import { Template } from './template.js';

/** A message that fits an entry of the catalog. */
function exampleOf(english: string): string {
  let count = 0;
  return english.replace(/\{(|text|foreign)\}/g, (_, kind: string) => {
    count += 1;
    if (kind === 'text') return 'is no address';
    return kind === 'foreign' ? `words ${count} of others` : `value${count}`;
  });
}

const chinese = ['zh-CN', 'zh-TW'] as const;

t.test('every entry has the same holes in all languages, and no other entry takes its messages', async (t) => {
  for (const entry of catalog) {
    const [english] = entry;
    t.doesNotThrow(() => new Template(entry), english);
    t.equal(findTemplate(exampleOf(english))?.english, english);
  }
  t.equal(new Set(catalog.map(([english]) => english)).size, catalog.length, 'no message twice');
});

t.test('an entry whose translation lacks a hole, or has another, is refused', async (t) => {
  t.throws(() => new Template(['at most {}', '最多', '最多 {1}']), { name: 'RangeError' });
  t.throws(() => new Template(['at most {}', '最多 {1}', '最多 {2}']), { name: 'RangeError' });
  t.throws(() => new Template(['at most {}', '最多 {1}', '最多 {1}{1}']), { name: 'RangeError' });
  t.throws(() => new Template(['at most {}', '最多 {}', '最多 {1}']), { name: 'RangeError' });
});

t.test('the values of every message are in its translations', async (t) => {
  for (const [english] of catalog)
    for (const locale of chinese) {
      const { text } = messageIn(exampleOf(english), locale);
      for (const value of exampleOf(english).match(/value\d/g) ?? []) t.ok(text.includes(value), english);
    }
});

const examples: readonly (readonly [english: string, zhCn: string, zhTw: string])[] = [
  ['is required', '必填', '必填'],
  ['must be at least 5', '不能小于 5', '不得小於 5'],
  ['must be array or null', '必须是数组或 null', '必須是陣列或 null'],
  [
    'must be one of http, tcp, dns; did you mean "tcp"?',
    '必须是以下之一：http, tcp, dns；是否想写 "tcp"？',
    '必須是下列之一：http, tcp, dns；是否想寫 "tcp"？',
  ],
  [
    'is not a known field, did you mean "target"? known: target, params',
    '是未知字段；是否想写 "target"？可用的有：target, params',
    '是不明欄位；是否想寫 "target"？可用的有：target, params',
  ],
  ['must not have more than 10 of type json_path', '类型 json_path 不能超过 10 个', '類型 json_path 不得超過 10 個'],
  [
    'must be well-formed JSON: line 1, column 9: expected a comma or "}", found "x"',
    '必须是格式正确的 JSON：第 1 行第 9 列应为逗号或 "}"，实为 "x"',
    '必須是格式正確的 JSON：第 1 行第 9 欄應為逗號或 "}"，實為 "x"',
  ],
  [
    'the address 10.0.0.1 is not allowed: 10.0.0.0/8 is private use, RFC 1918',
    '不允许使用地址 10.0.0.1：10.0.0.0/8 是私有地址，RFC 1918',
    '不允許使用位址 10.0.0.1：10.0.0.0/8 是私有位址，RFC 1918',
  ],
  [
    'the address 1.2.3.4 is not allowed: it is on the deny list',
    '不允许使用地址 1.2.3.4：该地址在拒绝列表中',
    '不允許使用位址 1.2.3.4：該位址在拒絕清單中',
  ],
  [
    '1 is needed, and 0 of 50 are left today; an account has 500',
    '需要 1 次，今天只剩 0 次（共 50 次）；注册账户的限额为 500',
    '需要 1 次，今天只剩 0 次（共 50 次）；註冊帳戶的限額為 500',
  ],
  [
    'is not a pattern of RE2: missing closing ]: `[a`',
    '不是 RE2 的模式：missing closing ]: `[a`',
    '不是 RE2 的模式：missing closing ]: `[a`',
  ],
];

for (const [english, zhCn, zhTw] of examples)
  t.test(`in Chinese: ${english}`, async (t) => {
    t.same(messageIn(english, 'zh-CN'), { text: zhCn, locale: 'zh-CN' });
    t.same(messageIn(english, 'zh-TW'), { text: zhTw, locale: 'zh-TW' });
    t.same(messageIn(english, 'en'), { text: english, locale: 'en' });
  });

t.test('every range of addresses that is refused has a translated reason', async (t) => {
  for (const { cidr, what } of [...refusedIPv4, ...refusedIPv6]) {
    const message = `the address ${cidr.split('/')[0]} is not allowed: ${cidr} is ${what}`;
    t.equal(messageIn(message, 'zh-TW').locale, 'zh-TW', message);
  }
});

t.test('complaints about every kind of mistake in a value are translated', async (t) => {
  const complaints = (schema: TSchema, value: unknown): FieldErrors => {
    const checked = compileSchema(Type.Object({ x: schema }, { additionalProperties: false }))({ x: value });
    return checked.ok ? {} : checked.details;
  };
  const mistakes: readonly (readonly [schema: TSchema, value: unknown])[] = [
    [Type.Integer({ minimum: 3, maximum: 5, multipleOf: 2 }), 1],
    [Type.Integer({ minimum: 3, maximum: 5 }), 9],
    [Type.Number({ exclusiveMinimum: 3, exclusiveMaximum: 5 }), 9],
    [Type.Number({ exclusiveMinimum: 3 }), 1],
    [Type.String({ minLength: 1 }), ''],
    [Type.String({ minLength: 2, pattern: '^[a-z, ]+$', example: 'a, b' }), '9'],
    [Type.String({ maxLength: 1, pattern: '\\S' }), '  '],
    [Type.String({ format: 'date-time' }), 'x'],
    [Type.String({ format: 'date' }), 'x'],
    [Type.String({ format: 'email' }), 'x'],
    [Type.String({ format: 'uri' }), 'x'],
    [Type.String({ format: 'ipv4' }), 'x'],
    [Type.Array(Type.String(), { minItems: 1 }), []],
    [Type.Array(Type.String(), { maxItems: 2, uniqueItems: true }), ['a', 'a', 'a']],
    [Type.Object({}, { additionalProperties: false }), { y: 1 }],
    [Type.Object({ why: Type.String() }, { additionalProperties: false }), { y: 1 }],
    [Type.Record(Type.String(), Type.Any(), { minProperties: 1, maxProperties: 2 }), {}],
    [Type.Enum(['one', 'two'], { type: 'string' }), 'on'],
    [Type.Enum(['one', 'two'], { type: 'string' }), 'other'],
    [Type.Enum(['', 'one', 'two'], { type: 'string' }), 'twe'],
    [Type.Enum(['', 'one'], { type: 'string' }), 'x'],
    [Type.Literal('one'), 'two'],
    [Type.Union([Type.String(), Type.Null()]), 1],
    [Type.Unsafe({ type: ['string', 'integer', 'boolean'] }), null],
    [Type.Boolean(), 'x'],
  ];
  for (const [schema, value] of mistakes) {
    const details = complaints(schema, value);
    t.not(Object.keys(details).length, 0, JSON.stringify(schema));
    t.equal(findUntranslated(details), null, JSON.stringify(details));
  }
  const query = compileCoercingSchema(Type.Object({ x: Type.Integer() }))({ x: '0x10' });
  t.equal(query.ok ? 'valid' : findUntranslated(query.details), null);
});

t.test('a message that the catalog does not have stays English, whole', async (t) => {
  for (const message of [
    'must be nicer than this',
    'the address 10.0.0.1 is not allowed: 10.0.0.0/8 is haunted',
    'is a surprise or null',
    '',
  ]) {
    t.same(messageIn(message, 'zh-CN'), { text: message, locale: 'en' });
    t.equal(findUntranslated({ x: [{ code: 'format', message }] }), message);
  }
});

t.test('values stay as they are, also those that read like a message', async (t) => {
  t.equal(messageIn('no such time zone: "is required"', 'zh-CN').text, '没有此时区："is required"');
  t.equal(messageIn('must be one of string, null', 'zh-CN').text, '必须是以下之一：string, null');
  t.equal(messageIn('"a is not a host name" is not a host name', 'zh-CN').text, '"a is not a host name" 不是主机名');
  t.equal(messageIn('no such time zone: "$& $1 {1}"', 'zh-TW').text, '沒有此時區："$& $1 {1}"');
});

t.test('a message of any length is read in steps that its length bounds', async (t) => {
  const long = ', did you mean "x"? known: '.repeat(140);
  const hostile = [
    `is not a known field${long}`,
    `${'; an account has 1'.repeat(230)}`,
    `${'{text}: line 1, column 1 '.repeat(160)}`,
    `the address ${' is not allowed: '.repeat(230)}`,
    `cannot be read as JSON or YAML: ${'line 1, column 1: '.repeat(200)}`,
    `no such time zone: "${'x'.repeat(4_000)}"`,
  ];
  const tried = Template.prototype.match;
  let characters = 0;
  t.teardown(() => Object.assign(Template.prototype, { match: tried }));
  Template.prototype.match = function count(message: string) {
    characters += message.length;
    return tried.call(this, message);
  };
  for (const message of hostile) {
    characters = 0;
    messageIn(message, 'zh-CN');
    t.ok(characters <= 4 * catalog.length * message.length, `${message.slice(0, 40)}: ${characters}`);
  }
});

t.test('what is too long, and what comes after a hundred messages, stays English', async (t) => {
  const long = `must be one of ${'abcdefgh, '.repeat(400)}x`;
  t.equal(messageIn(long, 'zh-CN').locale, 'en');
  const required = { code: 'required', message: 'is required' } as const;
  const many = detailsIn(
    Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}`, [required, required]])),
    'zh-TW',
  );
  const messages = Object.values(many).flatMap((errors) => errors.map(({ message }) => message));
  t.equal(messages.filter((message) => message === '必填').length, 100);
  t.equal(messages.length, 120);
});

t.test('details keep their fields, their codes and their order', async (t) => {
  const details: FieldErrors = {
    target: [{ code: 'required', message: 'is required' }],
    'params.port': [
      { code: 'range', message: 'must be at most 65535' },
      { code: 'type', message: 'must be integer' },
    ],
  };
  t.same(detailsIn(details, 'zh-CN'), {
    target: [{ code: 'required', message: '必填' }],
    'params.port': [
      { code: 'range', message: '不能大于 65535' },
      { code: 'type', message: '必须是整数' },
    ],
  });
  t.equal(detailsIn(details, 'en'), details);
});
