import t from 'tap';
import { mailboxKey } from './email.js';

t.test('addresses of one mailbox have one name, and those of others have other names', async (t) => {
  const same: readonly (readonly string[])[] = [
    [
      'ada@example.com',
      'ADA@Example.COM',
      'ada+a@example.com',
      'ada+a+b@example.com',
      'Ada+@example.com.',
      'ada+\u2028x@example.com',
    ],
    ['ada@gmail.com', 'a.d.a@gmail.com', 'A.da+x.y@GoogleMail.com', 'ada@googlemail.com'],
    ['a.da@example.com', 'a.da+x@example.com'],
    ['ada@b\u00fccher.example', 'ada+1@xn--bcher-kva.example', 'ada@B\u00dcCHER\u3002example'],
    ['ada@gmail.com.example'],
    ['+ada@example.com'],
    ['+eve@example.com', '+eve+x@example.com'],
    ['ada@mail.example.com'],
  ];
  for (const addresses of same)
    t.equal(new Set(addresses.map(mailboxKey)).size, 1, JSON.stringify(addresses.map(mailboxKey)));
  t.equal(new Set(same.flat().map(mailboxKey)).size, same.length);
  t.equal(mailboxKey('ada@example.com'), 'ada@example.com', 'counts of an earlier version stay valid');
});
