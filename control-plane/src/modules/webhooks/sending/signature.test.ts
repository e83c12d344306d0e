import { Webhook } from 'standardwebhooks';
import t from 'tap';
import { formatSecret, newSecret } from '../endpoints/secret.js';
import { signedHeaders } from './signature.js';

const id = 'evt_1FZ3ybQXhhsV3cDKtVoMjX';
const body = '{"name":"Café 🙂"}';

t.test('the package standardwebhooks verifies a signature, and refuses an altered body, id or time', async (t) => {
  const secret = newSecret();
  const webhook = new Webhook(formatSecret(secret));
  const headers = signedHeaders({ id, body, atMs: Date.now() }, [secret]);
  t.same(webhook.verify(body, headers), JSON.parse(body));
  t.throws(() => webhook.verify(`${body} `, headers));
  t.throws(() => webhook.verify(body, { ...headers, 'webhook-id': 'evt_2' }));
  t.throws(() => webhook.verify(body, signedHeaders({ id, body, atMs: Date.now() - 600_000 }, [secret])), /old/);
  t.throws(() => new Webhook(formatSecret(newSecret())).verify(body, headers));
});

t.test('while a secret is rotated both verify, the newest signature first', async (t) => {
  const [newest, previous] = [newSecret(), newSecret()];
  const headers = signedHeaders({ id, body, atMs: Date.now() }, [newest, previous]);
  for (const secret of [newest, previous]) t.ok(new Webhook(formatSecret(secret)).verify(body, headers));
  const [first] = headers['webhook-signature'].split(' ');
  t.ok(new Webhook(formatSecret(newest)).verify(body, { ...headers, 'webhook-signature': first ?? '' }));
});

t.test('a signature is that of the specification', async (t) => {
  // example of the Standard Webhooks specification 1.0, section "Signature scheme"
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const example = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', atMs: 1_614_265_330_000 };
  t.same(signedHeaders(example, [secret]), {
    'webhook-id': example.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});
