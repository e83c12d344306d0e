import t from 'tap';
import { readFromChild } from './from-child.js';

const judged = { outcome: 'ok', responseMs: 1, statusCode: null, error: null };
const checked = {
  kind: 'checked',
  id: 'pt_1',
  judgment: judged,
  detailsJson: null,
  startedAt: 1,
  loopLagMs: 0,
  isDisturbed: false,
};
const result = { kind: 'result', id: 'pt_1', resultJson: '{}', loopLagMs: 0 };

/** Batches that no child sends. */
const lies: Readonly<Record<string, unknown>> = {
  'no batch': { kind: 'opened' },
  'nothing at all': null,
  'a number': 1,
  'an empty message': [null],
  'a text': ['opened'],
  'an unknown kind': [{ kind: 'shutdown' }],
  'a kind of every object': [{ kind: 'constructor' }],
  'no kind': [{}],
  'capabilities that are none': [{ kind: 'ready', capabilities: [{}] }],
  'capabilities that are a text': [{ kind: 'ready', capabilities: 'icmp' }],
  'ten thousand capabilities': [{ kind: 'ready', capabilities: Array(10_000).fill('icmp') }],
  'a size that is none': [{ kind: 'grown', rssBytes: 'much' }],
  'a fault without a message': [{ kind: 'fault', type: 'tcp' }],
  'a result that is no text': [{ ...result, resultJson: { success: true } }],
  'an id that is none': [{ ...result, id: 1 }],
  'a long id': [{ ...result, id: 'x'.repeat(257) }],
  'a result too large to travel': [{ ...result, resultJson: 'x'.repeat(256 * 1024 + 1) }],
  'a result too large in UTF-8': [{ ...result, resultJson: 'é'.repeat(200 * 1024) }],
  'a delay that is none': [{ ...result, loopLagMs: null }],
  'more messages than a batch has': Array.from({ length: 10_001 }, () => ({ kind: 'opened' })),
  'no judgment': [{ ...checked, judgment: null }],
  'an outcome that is none': [{ ...checked, judgment: { ...judged, outcome: 'great' } }],
  'a failure without an error': [{ ...checked, judgment: { ...judged, outcome: 'failed' } }],
  'a success with an error': [{ ...checked, judgment: { ...judged, error: { code: 'a', message: 'b' } } }],
  'a long error': [
    { ...checked, judgment: { ...judged, outcome: 'failed', error: { code: 'a', message: 'b'.repeat(1_001) } } },
  ],
  'a status that is none': [{ ...checked, judgment: { ...judged, statusCode: 'ok' } }],
  'a time that is none': [{ ...checked, startedAt: 'now' }],
  'a good message and a bad one': [result, { ...result, loopLagMs: -1 }],
  'details that are too large': [{ ...checked, detailsJson: `"${'x'.repeat(4_096)}"` }],
};

t.test('messages that no child sends are refused', async (t) => {
  for (const [name, lie] of Object.entries(lies)) t.equal(readFromChild(lie), null, name);
});

t.test('messages of children are read as they are, without additional fields', async (t) => {
  const failed = { outcome: 'failed', responseMs: null, statusCode: 500, error: { code: 'a', message: 'b' } };
  const sent = [
    { kind: 'ready', capabilities: ['icmp', 'icmp_echo'] },
    { kind: 'opened' },
    { kind: 'grown', rssBytes: 5 },
    { kind: 'lists-refused', message: 'why' },
    { kind: 'fault', type: 'tcp', message: 'why' },
    result,
    checked,
    { ...checked, judgment: failed, detailsJson: '{}', startedAt: null },
  ];
  t.strictSame(readFromChild(sent), sent);
  t.strictSame(readFromChild([{ ...result, toString: 1 }]), [result]);
  t.match(readFromChild([{ kind: 'fault', type: 'tcp', message: 'x'.repeat(9_999) }]), [{ message: /^x{4000}$/ }]);
});
