import t from 'tap';
import { channelTypes } from '../src/modules/alerts/types/registry.js';
import { knownConfigs, noSettings, requestsOf } from './_support/channel-attempts.js';

// Vectors of python3, which shares no code with us (`nowMs` is 1795252800000):
//   import base64, hashlib, hmac, urllib.parse
//   secret, ms = 'SECexampleexampleexampleexampleexample', 1795252800000
//   urllib.parse.quote(base64.b64encode(hmac.new(secret.encode(), f'{ms}\n{secret}'.encode(), hashlib.sha256).digest()), safe='')
//   secret, s = 'exampleexampleexample', 1795252800
//   base64.b64encode(hmac.new(f'{s}\n{secret}'.encode(), b'', hashlib.sha256).digest())

const nowMs = 1_795_252_800_000;
const types = channelTypes(noSettings);

t.test('DingTalk signs milliseconds and secret, with the secret as the key', async (t) => {
  const vectors = [
    ['SECexampleexampleexampleexampleexample', 'IMr02iWTUE1YOqi4CE%2FT2W5VuUADWOy8MQCeuep8ZlY%3D'],
    ['SEC这里是密钥+/=', 'iAY%2B24XF5D3WRabw5nLjWqDJExXbkNDL2HIAbCntGkI%3D'],
  ] as const;
  for (const [secret, sign] of vectors) {
    const config = { ...knownConfigs.dingtalk(), secret };
    const [request] = await requestsOf(types.dingtalk, { config, nowMs });
    t.match(request?.url, new RegExp(`&timestamp=${nowMs}&sign=${sign}$`), secret);
  }
  const { secret: _secret, ...unsigned } = knownConfigs.dingtalk();
  const [request] = await requestsOf(types.dingtalk, { config: unsigned, nowMs });
  t.notMatch(request?.url, /timestamp|sign/, 'without a secret nothing is signed');
});

t.test('Feishu and Lark sign nothing, with seconds and secret as the key', async (t) => {
  const vectors = [
    ['exampleexampleexample', 'AcJrgy0xRi+qpYhvvjD/OpLwO5OjUfR4B64+QQaLw2Q='],
    ['这里是密钥+/=', 'lJOQCIsIHwNOOfv5vtv2wWsBXHzdXAUEouk/onKTrKI='],
  ] as const;
  for (const name of ['feishu', 'lark'] as const) {
    for (const [secret, sign] of vectors) {
      const [request] = await requestsOf(types[name], { config: { ...knownConfigs[name](), secret }, nowMs });
      t.match(JSON.parse(String(request?.body)), { timestamp: String(nowMs / 1_000), sign }, `${name} ${secret}`);
    }
  }
});
