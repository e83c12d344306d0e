import t from 'tap';
import { webhookType } from '../types/webhook.js';
import { checkConfig, joinSecrets, mergeConfig, movedSecrets, secretTexts, splitSecrets } from './channel-config.js';

const config = {
  url: 'https://hooks.example.com/services/T0ken?key=s3cret-key',
  method: 'POST',
  headers: { A: 'x', B: 'y' },
};

t.test('secrets are apart from what is shown, and come back together', async (t) => {
  const { shown, secrets } = splitSecrets(webhookType, config);
  t.same(shown, { url: '********', method: 'POST', headers: { A: '********', B: '********' } });
  t.same(joinSecrets(shown, secrets), config);
});

t.test(
  'a change keeps fields that it leaves out or masks, replaces others, and removes those that are null',
  async (t) => {
    t.same(mergeConfig(webhookType, config, {}), config);
    t.same(mergeConfig(webhookType, config, { url: '********', headers: { A: '********', C: 'z' } }), {
      ...config,
      headers: { A: 'x', C: 'z' },
    });
    t.same(mergeConfig(webhookType, { ...config, body: 'b' }, { body: null, method: 'PUT' }), {
      ...config,
      method: 'PUT',
    });
  },
);

t.test('asterisks without a stored value are refused', async (t) => {
  for (const name of ['constructor', '__proto__']) {
    const headers = JSON.parse(`{"${name}": "********"}`);
    const checked = checkConfig(webhookType, mergeConfig(webhookType, config, { headers }));
    t.match(checked, { ok: false, details: { 'config.headers': [{ code: 'required' }] } }, name);
  }
  const checked = checkConfig(webhookType, mergeConfig(webhookType, config, { headers: { New: '********' } }));
  t.match(checked, { ok: false, details: { 'config.headers': [{ code: 'required' }] } });
});

t.test('parts of a URL that servers repeat are masked, too', async (t) => {
  const texts = secretTexts(webhookType, config);
  for (const part of [config.url, '/services/T0ken?key=s3cret-key', 's3cret-key', 'T0ken', 'x'])
    t.equal(texts.includes(part), part.length >= 6 || part === 'x', part);
});

t.test('secrets that travel are not sent to another origin than they were given for', async (t) => {
  const moved = (change: object) =>
    movedSecrets(webhookType, config, {
      change: { ...change },
      merged: mergeConfig(webhookType, config, { ...change }),
    });
  t.same(moved({ url: 'https://hooks.example.com/other' }), []);
  t.same(moved({ url: 'https://evil.example.com/' }), ['headers']);
  t.same(moved({ url: 'https://evil.example.com/', headers: { A: '********' } }), ['headers']);
  t.same(moved({ url: 'https://evil.example.com/', headers: { A: 'new' } }), []);
  t.same(moved({ url: 'https://evil.example.com/', headers: {} }), []);
});
