import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { ApiError } from '../../http/errors.js';
import { costOf, readRequest } from './request.js';

function refusalOf(run: () => unknown): ApiError {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('not refused');
}

t.test('a request has a probe for each section on all nodes, and its target is stored in canonical form', async (t) => {
  const request = readRequest({ target: 'Bücher.DE' });
  t.equal(request.text, 'xn--bcher-kva.de');
  t.strictSame(
    request.requests.map(({ type }) => type),
    ['http', 'dns', 'ssl', 'ping', 'traceroute'],
  );
  t.equal(costOf(request, 3), 17);
  for (const target of [
    'Bücher.DE',
    'https://Example.com:8443/a?b#c',
    '2606:4700::1',
    '8.8.8.8',
    'http://example.com',
  ]) {
    const { text, target: read } = readRequest({ target });
    t.strictSame(readRequest({ target: text }).target, read, target);
  }
});

t.test('the nodes that are asked for decide if a report is too long, however many there are', async (t) => {
  const ids = Array.from({ length: 50 }, () => newId(idPrefixes.node));
  for (const body of [{ nodes: { limit: 12 } }, { node_ids: ids }]) {
    t.match(
      refusalOf(() => readRequest({ target: 'example.com', ...body })),
      {
        code: 'DIAGNOSE_REPORT_TOO_LONG',
        status: 422,
        details: { nodes: [{ code: 'range', message: /room for 11 nodes/ }] },
      },
    );
  }
  t.doesNotThrow(() => readRequest({ target: 'example.com', nodes: { limit: 11 } }));
  t.doesNotThrow(() => readRequest({ target: 'example.com', scope: ['ping'], node_ids: ids }));
});

t.test('a target in Unicode is its A-labels, or refused', async (t) => {
  const long = (length: number) =>
    `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(length - 187)}.com`;
  for (const [written, text] of [
    ['例え.jp', 'xn--r8jz45g.jp'],
    ['straße.de', 'xn--strae-oqa.de'],
    ['аpple.de', 'xn--pple-43d.de'],
    ['https://bücher.de/ü', 'https://xn--bcher-kva.de/%C3%BC'],
    [long(245), long(245)],
  ] as const)
    t.equal(readRequest({ target: written }).text, text, written);
  for (const [written, code] of [
    ['ß', 'PROBE_TARGET_INVALID'],
    ['１２３.de', 'PROBE_TARGET_INVALID'],
    ['https://１.２.３.４/', 'PROBE_TARGET_INVALID'],
    ['127.1', 'PROBE_TARGET_INVALID'],
    ['xn--a.de', 'VALIDATION_FAILED'],
    ['https://xn--a.de/', 'VALIDATION_FAILED'],
    [`${'ü'.repeat(250)}.de`, 'VALIDATION_FAILED'],
    [`${'a.'.repeat(125)}.com`, 'VALIDATION_FAILED'],
    ['1.2.3.4/24', 'VALIDATION_FAILED'],
    ['a\u0000.com', 'VALIDATION_FAILED'],
    ['a\nb.com', 'VALIDATION_FAILED'],
  ] as const)
    t.match(
      refusalOf(() => readRequest({ target: written })),
      { code, details: { target: [{}] } },
      JSON.stringify(written.slice(0, 30)),
    );
});
