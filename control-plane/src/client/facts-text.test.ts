import { plain } from '@vantage/shared/terminal/colours.js';
import t from 'tap';
import { factsText } from './facts-text.js';

t.test('fields are shown in their order: values, lists, records and tables of records', async (t) => {
  const facts = {
    domain: 'example.com',
    registered: true,
    expires_at: null,
    name_servers: ['ns1.example.com', 'ns2.example.com'],
    status: [],
    network: { handle: 'NET-1', cidrs: ['192.0.2.0/24'] },
    records: [
      { name: 'example.com', type: 'A', value: '192.0.2.1', ttl: 300, note: null },
      {
        name: 'example.com',
        type: 'MX',
        value: { preference: 10, exchange: 'mx.example.com' },
        ttl: 3_600,
        note: null,
      },
    ],
  };
  t.equal(
    factsText(facts, { width: 80, paint: plain }),
    [
      'domain        example.com',
      'registered    yes',
      'expires at    -',
      'name servers  ns1.example.com, ns2.example.com',
      'status        -',
      'network',
      '  handle  NET-1',
      '  cidrs   192.0.2.0/24',
      'records',
      '  name         type  value               ttl',
      '  example.com  A     192.0.2.1           300',
      '  example.com  MX    10 mx.example.com  3600',
    ].join('\n'),
  );
});

t.test('text of a server cannot control the terminal, not even by the names of its fields', async (t) => {
  const text = factsText({ 'a\u001b[2J': 'b\nc\u202e', rows: [{ 'x\r': ['\u0007'] }] }, { width: 80, paint: plain });
  t.equal(text, ['a·[2J  b·c·', 'rows', '  x·', '  ·'].join('\n'));
});

t.test(
  'a value longer than the line is wrapped between words, below its beginning, and a long word stays whole',
  async (t) => {
    const url = `https://example.com/${'x'.repeat(60)}`;
    const facts = {
      name: 'a',
      words: 'one two three four five six seven eight',
      url,
      rows: [{ n: 1, text: `see ${url} now` }],
    };
    t.equal(
      factsText(facts, { width: 40, paint: plain }),
      [
        'name   a',
        'words  one two three four five six seven',
        '       eight',
        `url    ${url}`,
        'rows',
        '  1',
        '    text  see',
        `          ${url}`,
        '          now',
      ].join('\n'),
    );
  },
);
