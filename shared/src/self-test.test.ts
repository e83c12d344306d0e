import t from 'tap';
import { parseCanary } from './self-test.js';

t.test('a canary is a TCP port or a host that answers ping; anything else is refused', async (t) => {
  t.match(parseCanary('tcp://canary.example.com:443'), { type: 'tcp', target: 'canary.example.com:443' });
  t.match(parseCanary('tcp://[2001:db8::1]:443'), { type: 'tcp', host: { kind: 'address', family: 6 } });
  t.match(parseCanary('icmp://192.0.2.1'), { type: 'ping', target: '192.0.2.1', host: { family: 4 } });
  const none = [
    '',
    'tcp://',
    'tcp://host.example',
    'icmp://a b',
    'http://x.example',
    'tcp://x.example:0',
    'icmp://x/y',
  ];
  for (const text of none) t.equal(parseCanary(text), null, text);
});
