import t from 'tap';
import { decideFallback, fallbackNote } from './fallback-decision.js';

type Rows = Parameters<typeof decideFallback>[0];
type Row = Rows[number];

const failing: Row = {
  status: 'retrying',
  reason: null,
  may_have_arrived: false,
  recipient: null,
  type: 'webhook',
  channel_name: 'Hook',
  attempts: [{ at: '', duration_ms: 1, outcome: 'retry', status_code: 500, error: 'HTTP 500', response: null }],
};

t.test(
  'the address of the account gets a message that no channel accepted, unless it is not needed or was already sent there',
  async (t) => {
    const cases: readonly (readonly [name: string, rows: Rows, expected: ReturnType<typeof decideFallback>])[] = [
      ['one fails', [failing], [{ name: 'Hook', why: 'HTTP 500' }]],
      ['one was accepted', [failing, { ...failing, status: 'sent' }], null],
      ['one may have arrived', [failing, { ...failing, may_have_arrived: true }], null],
      ['all recovered', [{ ...failing, status: 'dropped', reason: 'recovered_before_sent' }], null],
      ['a test key', [{ ...failing, status: 'dropped', reason: 'test_mode' }], null],
      [
        'nobody is verified',
        [{ ...failing, attempts: [], status: 'dropped', reason: 'unverified' }],
        [{ name: 'Hook', why: 'unverified' }],
      ],
      [
        'it waits for its bucket',
        [{ ...failing, attempts: [], status: 'pending' }],
        [{ name: 'Hook', why: 'pending' }],
      ],
      ['it is tried there', [failing, { ...failing, type: 'email', recipient: 'ada@a.example' }], null],
      [
        'its owner stopped mails about the monitor',
        [
          failing,
          { ...failing, type: 'email', recipient: 'ada@a.example', status: 'dropped', reason: 'monitor_stopped' },
        ],
        null,
      ],
      ['none', [], null],
    ];
    for (const [name, rows, expected] of cases) t.same(decideFallback(rows, 'ada@a.example'), expected, name);
  },
);

t.test('the sentence names the channels and their errors, in every language', async (t) => {
  for (const locale of ['en', 'zh-CN', 'zh-TW'] as const)
    t.match(
      fallbackNote(
        [
          { name: 'A', why: 'HTTP 500' },
          { name: 'B', why: 'quota' },
        ],
        locale,
      ),
      /A \(HTTP 500\); B \(quota\)/,
    );
});
