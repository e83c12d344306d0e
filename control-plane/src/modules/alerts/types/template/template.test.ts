import fc from 'fast-check';
import t from 'tap';
import type { BodyForm } from '../../../../config/body-form.js';
import { manyLines } from '../formats/characters.js';
import type { Message } from '../message.js';
import { fillBody, parseBody } from './body-template.js';
import { customTextErrors, withCustomTexts } from './custom-text.js';
import { fillTemplate, MAX_OUTPUT_BYTES } from './fill-template.js';
import { parseTemplate } from './parse-template.js';
import { valuesOf, variables } from './variables.js';

const message: Message = {
  id: 'ad_01',
  thread: 'ae_01',
  kind: 'firing',
  severity: 'critical',
  locale: 'en',
  timezone: 'Asia/Shanghai',
  title: 'Down: Shop',
  headline: 'Shop is down',
  facts: [{ label: 'Reason', value: 'tcp_refused' }],
  items: [],
  note: null,
  links: [
    { label: 'Acknowledge', url: 'https://vantage.example/a/t', role: 'acknowledge' },
    { label: 'Open', url: 'https://vantage.example/m', role: 'monitor' },
  ],
  customText: null,
  source: 'https://shop.example/',
  atMs: Date.UTC(2026, 10, 21, 9, 20),
  payload: {
    data: {
      monitor: {
        id: 'mon_01',
        name: 'Shop "1"\n\\',
        type: 'https',
        target: 'https://shop.example/',
        tags: ['a', 'b'],
        group: { id: 'g', name: 'EU' },
      },
      alert: {
        id: 'ae_01',
        started_at: '2026-11-21T09:16:00.000Z',
        resolved_at: null,
        metadata: { affected_nodes: [{ name: 'Berlin' }, 'Tokyo'] },
      },
      policy: { id: 'ap_01', name: 'Everyone' },
    },
  },
};
const filling = { values: valuesOf(message), timezone: 'Asia/Shanghai' };

function filled(template: string): string {
  const parsed = parseTemplate(template);
  return parsed.ok ? fillTemplate(parsed.parts, filling) : `errors: ${JSON.stringify(parsed.errors)}`;
}

t.test('values are names where the payload has ids', async (t) => {
  const { data } = message.payload as { readonly data: object };
  const byId = {
    ...message,
    payload: {
      data: {
        ...data,
        monitor: { group: 'mgr_01' },
        alert: { acknowledged_by: 'u_01', metadata: { affected_nodes: ['n_01'] } },
      },
    },
    names: { nodes: ['Berlin', 'Tokyo'], acknowledgedBy: 'Ada', group: 'EU' },
  };
  t.match(valuesOf(byId), { 'alert.nodes': 'Berlin, Tokyo', 'alert.acknowledged_by': 'Ada', 'monitor.group': 'EU' });
});

t.test('placeholders are replaced by values, through their filters', async (t) => {
  const cases = [
    ['{{title}} {{ monitor.tags }}/{{monitor.group}}', 'Down: Shop a, b/EU'],
    ['{{alert.nodes}} {{count}} [{{alert.resolved_at}}]', 'Berlin, Tokyo 1 []'],
    ['{{text}}', 'Shop is down\nReason: tcp_refused'],
    ['{{headline}} {{color}} {{style}}', 'Shop is down 11805464 attention'],
    ['{{alert.started_at | date}} {{time}}', '2026-11-21 17:16 2026-11-21T09:20:00.000Z'],
    ['{{alert.resolved_at|date}}{{title|date}}', 'Down: Shop'],
    ['{{monitor.name|json}}', '"Shop \\"1\\"\\n\\\\"'],
    ['{{title|upper}} {{title|lower}} {{title|truncate:5}}', 'DOWN: SHOP down: shop Down…'],
    ['{{title|truncate:4|upper}}', 'DOW…'],
    ['{{acknowledge_url}} {{monitor_url}}', 'https://vantage.example/a/t https://vantage.example/m'],
    ['no { placeholder } }} here', 'no { placeholder } }} here'],
    ['', ''],
  ] as const;
  for (const [template, expected] of cases) t.equal(filled(template), expected, template);
});

t.test('an unknown name is an error with its place', async (t) => {
  const cases = [
    ['{{secret}}', 1, 1, 'has the unknown variable "secret"'],
    ['ok {{title}}\n  {{ monitor.password }}', 2, 3, 'has the unknown variable "monitor.password"'],
    ['{{title|reverse}}', 1, 1, 'has the unknown filter "reverse"'],
    ['{{title|truncate:0}}', 1, 1, 'has the unknown filter "truncate:0"'],
    ['{{title|truncate}}', 1, 1, 'has the unknown filter "truncate"'],
    ['{{constructor}}', 1, 1, 'has the unknown variable "constructor"'],
    ['{{title|constructor}}', 1, 1, 'has the unknown filter "constructor"'],
    ['{{__proto__}}', 1, 1, 'has the unknown variable "__proto__"'],
    ['{{}}', 1, 1, 'has the unknown variable ""'],
    ['{{#each monitors}}', 1, 1, 'has the unknown variable "#each monitors"'],
    ['a {{title', 1, 3, 'has no closing }}'],
    ['{{{{title}}}}', 1, 1, 'has the unknown variable "{{title"'],
    ['{{title|json|json|json|json|json|json}}', 1, 1, 'has more than 5 filters'],
  ] as const;
  for (const [template, line, column, text] of cases)
    t.strictSame(parseTemplate(template), { ok: false, errors: [{ line, column, message: text }] }, template);
});

t.test('at most twenty errors are named, each at its place', async (t) => {
  const parsed = parseTemplate('{{a}}\n'.repeat(50));
  t.equal(parsed.ok, false);
  if (parsed.ok) return;
  t.strictSame(
    parsed.errors.map(({ line }) => line),
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
});

t.test('bombs take linear time and yield at most 16 KiB', async (t) => {
  const long = { ...message, title: '"\\é中'.repeat(20_000) };
  const bombs = [
    '{{title}}'.repeat(10_000),
    '{{'.repeat(10_000),
    `${'{{'.repeat(10_000)}${'}}'.repeat(10_000)}`,
    '{{title|json|json|json|json|json}}'.repeat(10_000),
    '{{x}}'.repeat(10_000),
    '{'.repeat(100_000),
    `{{${'|'.repeat(100_000)}}}`,
    `{{title${' '.repeat(100_000)}}}`,
    'x\n'.repeat(50_000),
  ];
  for (const bomb of bombs) {
    // quadratic time would take minutes, longer than a file may
    for (const times of [1, 10]) {
      const parsed = parseTemplate(bomb.repeat(times));
      const output = parsed.ok ? fillTemplate(parsed.parts, { ...filling, values: valuesOf(long) }) : '';
      t.ok(Buffer.byteLength(output) <= MAX_OUTPUT_BYTES, bomb.slice(0, 20));
    }
  }
});

t.test('a body given as JSON is filled leaf by leaf, and no value leaves its string', async (t) => {
  const values = fc.string({ unit: 'binary', maxLength: 200 });
  const template =
    '{"name": "{{monitor.name}}", "list": [1, true, null, "x {{title}} y"], "nested": {"k": "{{severity}}"}}';
  const parsed = parseBody(template, 'json');
  if (!parsed.ok) return t.fail(JSON.stringify(parsed.errors));
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(values, values, (name, title) => {
        const written = { ...filling, values: { ...filling.values, 'monitor.name': name, title } };
        const body = JSON.parse(fillBody(parsed.body, written));
        return (
          body.name === name &&
          body.list[3] === `x ${title} y` &&
          body.nested.k === 'critical' &&
          Object.keys(body).length === 3
        );
      }),
    ),
  );
});

t.test('a JSON body stays JSON of at most 16 KiB, whatever its values', async (t) => {
  const long = valuesOf({ ...message, title: '"\n'.repeat(9_000) });
  const template = JSON.stringify({
    first: '{{title}}',
    rest: Array.from({ length: 300 }, () => '{{title}}'),
    last: 'kept',
  });
  const parsed = parseBody(template, 'json');
  if (!parsed.ok) return t.fail(JSON.stringify(parsed.errors));
  const body = fillBody(parsed.body, { ...filling, values: long });
  t.ok(Buffer.byteLength(body) <= MAX_OUTPUT_BYTES, `${Buffer.byteLength(body)} bytes`);
  t.match(JSON.parse(body), { first: /^"\n"\n/, last: 'kept' });
});

t.test('no value leaves its place in a body of any form', async (t) => {
  const anything = fc.string({
    unit: fc.oneof(fc.constantFrom(...'&<>"\'+%=;\\\n\r\0\ud800\uffff'), fc.string({ unit: 'binary', maxLength: 1 })),
    maxLength: 50,
  });
  const write = (form: BodyForm, template: string, title: string, text: string) => {
    const parsed = parseBody(template, form);
    return parsed.ok ? fillBody(parsed.body, { ...filling, values: { ...filling.values, title, text } }) : '';
  };
  const isOneLine = (value: string) => manyLines(value).replace(/\n+/g, ' ');
  const forms: Readonly<Record<string, (title: string, text: string) => void>> = {
    json: (title, text) => {
      const body = write('json', '[{{title|json}}, "{{title}}", {"text": "{{text}}"}, {{count}}]', title, text);
      t.strictSame(JSON.parse(body), [title, title, { text }, 1]);
    },
    form: (title, text) => {
      const fields = [...new URLSearchParams(write('form', 'a={{title}}&json={{text|json}}', title, text))];
      t.strictSame(fields, [
        ['a', manyLines(title)],
        ['json', JSON.stringify(manyLines(text))],
      ]);
    },
    'form, of what looks like JSON': (title, text) => {
      t.match(write('form', '{"a": "{{title}}{{text}}"}', title, text), /^\{"a": "[\w.%!~*'()-]*"\}$/);
    },
    xml: (title, text) => {
      const body = write('xml', '<m a="{{title}}">{{text}}</m>', title, text);
      const [, a, content] = /^<m a="([^<"\n]*)">([^<\0-\x1f\ufffe\uffff\ud800-\udfff]*)<\/m>$/u.exec(body) ?? [];
      t.strictSame(
        [a, content].map(decoded),
        [title, text].map((value) => manyLines(value).replace(/[\ufffe\uffff]/g, '\ufffd')),
      );
    },
    text: (title, text) => {
      t.equal(
        write('text', 'title: {{title}}\n\n{{text}}', title, text),
        `title: ${isOneLine(title)}\n\n${manyLines(text)}`,
      );
    },
    'text that is JSON': (title, text) => {
      t.strictSame(JSON.parse(write('text', '{"a": "{{title}}", "b": "{{text}}"}', title, text)), {
        a: title,
        b: text,
      });
    },
  };
  for (const [name, check] of Object.entries(forms))
    t.doesNotThrow(() => fc.assert(fc.property(anything, anything, check), { numRuns: 50 }), name);
});

/** Text as a reader of XML decodes it. */
function decoded(text = 'is not well-formed'): string {
  const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#10': '\n' };
  return text.replace(/&(#?\w+);/g, (entity, name: string) => names[name] ?? entity);
}

t.test('a body of any form that is too long is cut in its values, not in their escapes', async (t) => {
  const values = { ...filling.values, title: '&<"é'.repeat(4_000), text: 'never shown' };
  const templates: readonly (readonly [BodyForm, string, RegExp])[] = [
    ['xml', '<a>{{title}}</a><b>{{text}}</b><c>kept</c>', /^<a>(?:&amp;|&lt;|&quot;|é)+…<\/a><b><\/b><c>kept<\/c>$/],
    ['form', 'a={{title}}&b={{text}}&c=kept', /^a=(?:%26%3C%22%C3%A9)+(?:%[0-9A-F]{2})*%E2%80%A6&b=&c=kept$/],
    ['json', '[{{title|json}},{{text|json}},"{{text}}",{{count}}"kept"]', /^\["(?:&<\\"é)+.{0,4}…","","","kept"\]$/],
  ];
  for (const [form, template, expected] of templates) {
    const parsed = parseBody(template, form);
    const body = parsed.ok ? fillBody(parsed.body, { ...filling, values }) : '';
    t.match(body, expected, form);
    t.ok(Buffer.byteLength(body) <= MAX_OUTPUT_BYTES && Buffer.byteLength(body) > MAX_OUTPUT_BYTES - 20, form);
  }
});

t.test('errors of a JSON body name the leaf', async (t) => {
  const parsed = parseBody('{"a": {"b": ["ok", "{{nope}}"]}, "{{title}}": 1}', 'json');
  t.match(parsed, {
    ok: false,
    errors: [
      { path: 'a.b[1]', message: /"nope"/ },
      { path: '{{title}}', message: /names of fields/ },
    ],
  });
  t.match(parseBody(`${'['.repeat(40)}${']'.repeat(40)}`, 'json'), {
    ok: false,
    errors: [{ message: 'is deeper than 32' }],
  });
  t.match(parseBody(JSON.stringify(['x'.repeat(17_000)]), 'json'), {
    ok: false,
    errors: [{ message: /is longer than 16384/ }],
  });
  t.match(parseBody(`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'json'), { ok: false });
});

t.test('a body that is one JSON string is JSON too', async (t) => {
  const parsed = parseBody('"{{monitor.name}}"', 'json');
  t.equal(parsed.ok && JSON.parse(fillBody(parsed.body, filling)), 'Shop "1"\n\\');
});

t.test('a body that is no JSON is a template of text', async (t) => {
  const parsed = parseBody('name={{monitor.id}}&n={{count}}', 'form');
  t.equal(parsed.ok && fillBody(parsed.body, filling), 'name=mon_01&n=1');
  t.match(parseBody('{"n": {{count}}, "s": "{{nope}}"}', 'json'), {
    ok: false,
    errors: [{ path: null, line: 1, column: 24 }],
  });
});

t.test('custom texts replace the default ones, those for the end of an alert at its end', async (t) => {
  const texts = { title: 'P1 {{monitor.id}}', text: 'see {{monitor_url}}\nnow', resolved_title: 'ok {{monitor.id}}' };
  t.match(withCustomTexts(message, texts), { title: 'P1 mon_01', customText: 'see https://vantage.example/m\nnow' });
  t.match(withCustomTexts({ ...message, kind: 'resolved', isOver: true }, texts), {
    title: 'ok mon_01',
    customText: null,
  });
  t.match(
    withCustomTexts(message, { title: '{{alert.resolved_at}}' }),
    { title: 'Down: Shop' },
    'an empty title is none',
  );
  for (const kind of ['test', 'verification', 'notice'] as const)
    t.match(withCustomTexts({ ...message, kind }, texts), { title: 'Down: Shop', customText: null }, kind);
  const own = withCustomTexts(message, { title: 'Own' });
  t.match(own, { title: 'Own', headline: undefined, items: ['Shop is down'] }, 'the sentence stays below an own title');
  t.match(customTextErrors({ ...texts, text: '{{nope}}' }), { text: [{ line: 1, column: 1 }] });
  t.strictSame(customTextErrors(texts), {});
});

t.test('every variable has a meaning and a value', async (t) => {
  const values: Readonly<Record<string, unknown>> = valuesOf({ ...message, payload: {} });
  t.strictSame(Object.keys(values).sort(), Object.keys(variables).sort());
  for (const [name, meaning] of Object.entries(variables)) {
    t.type(values[name], 'string', name);
    t.match(meaning, /\.$/);
  }
});
