import { rounds } from '@vantage/shared/_support/rounds.js';
import { monitorTypes } from '@vantage/shared/monitor-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import fc from 'fast-check';
import t from 'tap';
import { startHttpServer } from '../../../test/_support/http-server.js';
import { aContext, aSpec } from '../../../test/_support/probe-context.js';
import { ProbeFailure } from '../failure.js';
import { type Findings, findInBody } from './findings.js';
import { http } from './index.js';
import { keepValues } from './kept-values.js';

const params = (asked: { keywords?: string[]; json_paths?: string[] }) =>
  aSpec('http', 'http://example.com/', asked).params;

function lookFor(text: string | null, asked: { keywords?: string[]; json_paths?: string[] }, isCut = false) {
  return findInBody({ text, isCut }, params(asked), new AbortController().signal);
}

t.test('http counts keywords, as written and in any case', async (t) => {
  const { keywords } = await lookFor('Grün grün GRÜN gr aaa', { keywords: ['grün', 'aa', 'not there'] });
  t.strictSame(keywords, [
    { keyword: 'grün', count: 1, count_any_case: 3, error: null },
    { keyword: 'aa', count: 1, count_any_case: 1, error: null },
    { keyword: 'not there', count: 0, count_any_case: 0, error: null },
  ]);
});

t.test('http evaluates JSONPaths, the values as they are in the document', async (t) => {
  const document = JSON.stringify({
    status: 'ok',
    checks: [
      { ok: true, ms: 1.5 },
      { ok: false, ms: null },
    ],
    '': 0,
  });
  const { json_paths: paths } = await lookFor(document, {
    json_paths: ['$.status', '$.checks[?@.ok == false].ms', '$.none', '$..ok'],
  });
  t.strictSame(paths, [
    { path: '$.status', count: 1, values: ['ok'], truncated: false, error: null },
    { path: '$.checks[?@.ok == false].ms', count: 1, values: [null], truncated: false, error: null },
    { path: '$.none', count: 0, values: [], truncated: false, error: null },
    { path: '$..ok', count: 2, values: [true, false], truncated: false, error: null },
  ]);
});

t.test('http keeps all digits of a number, and monitors compare it by them', async (t) => {
  const value = '{"id":18014398509481985,"list":[36028797018963969]}';
  const found = await lookFor(value, { json_paths: ['$.id', '$', '$.list[?@ > 1]'] });
  t.strictSame(JSON.parse(JSON.stringify(found.json_paths?.map(({ values }) => values))), [
    ['18014398509481985'],
    [{ id: '18014398509481985', list: ['36028797018963969'] }],
    ['36028797018963969'],
  ]);
  const server = await startHttpServer(t, (_, response) => response.end(value));
  const result = await http.run(
    aSpec('http', `http://127.0.0.1:${server.port}/`, { json_paths: ['$.id'] }),
    aContext(),
  );
  const judge = (wanted: string) => {
    const checked = compileSchema(monitorTypes.json.Config)({ path: '$.id', value: wanted });
    if (!checked.ok) throw new Error(JSON.stringify(checked.details));
    const { outcome, error } = monitorTypes.json.judge(result, checked.value, 0);
    return [outcome, error?.message];
  };
  t.strictSame(judge('18014398509481985'), ['ok', undefined]);
  t.match(judge('18014398509481984'), ['failed', /is 18014398509481985, expected eq "18014398509481984"/]);
});

t.test('http reports that a keyword or path cannot be judged, and never that it is absent', async (t) => {
  const asked = { keywords: ['x'], json_paths: ['$.a'] };
  const unknown = (result: Findings) => [...(result.keywords ?? []), ...(result.json_paths ?? [])];
  for (const finding of unknown(await lookFor(null, asked))) t.match(finding, { count: null, error: /coding/ });
  for (const finding of unknown(await lookFor('{"a":1}', asked, true)))
    t.match(finding, { count: null, error: /1048576/ });
  t.match(
    (await lookFor('x', { keywords: ['x'] }, true)).keywords,
    [{ count: 1, error: null }],
    'what is there is there',
  );
  t.strictSame(
    (await lookFor('X', { keywords: ['x'] }, true)).keywords,
    [{ keyword: 'x', count: null, count_any_case: 1, error: 'not in the first 1048576 bytes' }],
    'in another case it may be in the part that was not read',
  );
  t.match((await lookFor('<html>', asked)).json_paths, [{ count: null, error: 'the body is not JSON' }]);
  const costly = '['.repeat(100) + ']'.repeat(100);
  const { json_paths: paths } = await lookFor(costly, { json_paths: ['$..*..*..*', '$', '$..*'] });
  t.match(paths, [{ count: null, error: /too many steps/ }, { count: 1 }, { count: 99 }], 'each path for itself');
});

t.test('http parses no JSON that could keep the measuring process busy', async (t) => {
  const list = (value: string, length: number) => `[${Array(length).fill(value)}]`;
  const nested = (depth: number) => '[{"a":'.repeat(depth / 2) + '}]'.repeat(depth / 2);
  const evaluated = {
    '9999 values of a list': list('0', 9_999),
    '256 KiB in one text': `"${'x'.repeat(256 * 1024 - 2)}"`,
    'commas and brackets in a text': JSON.stringify('\\"[{,'.repeat(10_000)),
    '98 levels': `${nested(98).replace('"a":}', '"a":1}')}`,
  };
  for (const [what, text] of Object.entries(evaluated)) {
    t.doesNotThrow(() => JSON.parse(text), what);
    t.match((await lookFor(text, { json_paths: ['$'] })).json_paths, [{ count: 1, error: null }], what);
  }
  const names = (length: number) => Array.from({ length }, (_, i) => `"${i.toString(36)}":1`);
  const refused = {
    '10 001 values': [list('0', 10_001), /more than 10000 values/],
    'as many names': [`{${names(10_001)}}`, /more than 10000 values/],
    'as many empty lists': [list('[]', 10_000), /more than 10000 values/],
    'a text of more than 256 KiB': [`"${'x'.repeat(256 * 1024)}"`, /more than 262144 characters/],
    '101 levels': ['['.repeat(101), /more than 100 levels/],
  } as const;
  for (const [what, [text, error]] of Object.entries(refused))
    t.match((await lookFor(text, { json_paths: ['$'] })).json_paths, [{ count: null, values: [], error }], what);
});

t.test('http yields to other work between keywords and between JSONPaths, and ends on abort', async (t) => {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await lookFor('[1,2]', { json_paths: Array(10).fill('$..*') });
  t.ok(turns >= 10, `${turns} turns for ten paths`);
  turns = 0;
  await lookFor('a'.repeat(1024 * 1024), { keywords: ['a'] });
  isOver = true;
  t.ok(turns >= 10, `${turns} turns for a keyword that is found two million times`);
  const abort = new AbortController();
  const running = findInBody({ text: '1', isCut: false }, params({ json_paths: ['$'] }), abort.signal);
  abort.abort(new ProbeFailure('cancelled', 'called off'));
  await t.rejects(running, { code: 'cancelled' });
});

t.test('http keeps the selected values of a path that fit, each one whole', async (t) => {
  t.strictSame(keepValues([1, 'a', null, { b: [true] }]), { values: [1, 'a', null, { b: [true] }], truncated: false });
  t.strictSame(keepValues(Array(11).fill(0)), { values: Array(10).fill(0), truncated: true });
  t.strictSame(keepValues(['x'.repeat(3000), 1]), { values: [], truncated: true });
  t.strictSame(keepValues([1, JSON.parse('['.repeat(50_000) + ']'.repeat(50_000))]), { values: [1], truncated: true });
  t.strictSame(keepValues(['a\0b\ud800c', { 'k\0': '\\u0000' }]), {
    values: ['abc', { k: '\\u0000' }],
    truncated: false,
  });
  const brackets = keepValues([Array.from({ length: 900 }, () => [])]);
  t.strictSame(brackets, { values: [], truncated: true }, 'the commas between lists count');
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 12 }), (found) => {
      const { values, truncated } = keepValues(found);
      return Buffer.byteLength(JSON.stringify(values)) <= 2048 + 2 && truncated === values.length < found.length;
    }),
    { numRuns: rounds(500), interruptAfterTimeLimit: 1000 },
  );
});

t.test('http looks beyond the 64 KiB of a body that it keeps, and succeeds whatever it finds', async (t) => {
  const server = await startHttpServer(t, ({ path }, response) => {
    const isJson = path === '/json';
    response.setHeader('Content-Type', isJson ? 'application/json' : 'application/octet-stream');
    response.end(isJson ? JSON.stringify({ filler: 'x'.repeat(100_000), last: 7 }) : `${'x'.repeat(100_000)}needle`);
  });
  const probe = (path: string) =>
    http.run(
      aSpec('http', `http://127.0.0.1:${server.port}${path}`, { keywords: ['needle'], json_paths: ['$.last'] }),
      aContext(),
    );
  t.match(await probe('/json'), {
    success: true,
    body_truncated: true,
    keywords: [{ keyword: 'needle', count: 0 }],
    json_paths: [{ path: '$.last', count: 1, values: [7] }],
  });
  t.match(await probe('/other'), {
    success: true,
    keywords: [{ keyword: 'needle', count: 1 }],
    json_paths: [{ count: null, error: 'the body is not JSON' }],
  });
  const plain = await http.run(aSpec('http', `http://127.0.0.1:${server.port}/`), aContext());
  t.notOk('keywords' in plain || 'json_paths' in plain, 'nothing is said where nothing is asked');
});
