import t from 'tap';
import { signatureOf } from './webhook.js';

t.test('a signature is that of the Standard Webhooks specification', async (t) => {
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/libraries/go/webhook_test.go
  const signature = signatureOf({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: '1614265330',
    body: '{"test": 2432232314}',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  });
  t.equal(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});
