import { readFileSync } from 'node:fs';
import t from 'tap';
import { endReasons } from '../src/modules/alerts/deliveries/needed.js';
import { channelTypeNames } from '../src/modules/alerts/types/registry.js';
import { parseBody } from '../src/modules/alerts/types/template/body-template.js';
import { alertMessage } from '../src/modules/alerts/types/texts/alert-message.js';
import { webhookType } from '../src/modules/alerts/types/webhook.js';
import { anAlert } from './_support/alert-messages.js';
import { requestsOf } from './_support/channel-attempts.js';
import { startStack } from './_support/stack.js';

// docs/alert-channels.md as a reader follows it.

const document = readFileSync(new URL('../../../docs/alert-channels.md', import.meta.url), 'utf8');

interface Example {
  readonly name: string;
  readonly type: string;
  readonly config: Readonly<Record<string, unknown>>;
}

function section(title: string): string {
  const [, rest] = document.split(`\n## ${title}\n`);
  if (rest === undefined) throw new Error(`docs/alert-channels.md has no section "${title}"`);
  return rest.split('\n## ')[0] ?? '';
}

const examplesIn = (title: string): Example[] =>
  [...section(title).matchAll(/```json\n([^]*?)```/g)].map(([, json = '']) => JSON.parse(json));

const ofTypes = examplesIn('Setting up a channel');
const byWebhook = examplesIn('Other services by webhook');

t.test('the examples of docs/alert-channels.md create channels of every type as they are printed', async (t) => {
  const gateway = JSON.stringify({ kind: 'generic', url: 'https://gateway.example/send' });
  const { api, database } = await startStack(t, { VANTAGE_SMS_GATEWAY: gateway, VANTAGE_VOICE_GATEWAY: gateway });
  await database.db('users').update({ email_verified_at: new Date() });
  t.strictSame(new Set(ofTypes.map(({ type }) => type)), new Set(channelTypeNames));
  for (const body of [...ofTypes, ...byWebhook]) {
    const { status, body: answer } = await api.call('POST', '/v1/alert-channels', { body });
    t.equal(status, 201, `${body.name}: ${JSON.stringify(answer.error)}`);
  }
});

t.test(
  'a long text fits the services that docs/alert-channels.md reaches by webhook, and keeps its link',
  async (t) => {
    t.strictSame(
      byWebhook.map(({ name }) => name),
      ['ntfy', 'Gotify', 'Discord', 'Teams'],
    );
    const hostile = '@everyone <@1> "}], {{title}}\r\n\u202e'.repeat(5_000);
    const monitor = { name: hostile.slice(0, 200), type: 'https', target: hostile };
    const message = alertMessage(anAlert({ monitor, reason: '中'.repeat(50_000), nodes: [hostile] }), {
      locale: 'zh-CN',
      timezone: 'UTC',
    });
    for (const { name, config } of byWebhook) {
      t.match(parseBody(String(config['body']), 'json'), { ok: true, body: { kind: 'json' } }, `${name} is JSON`);
      const settings = { method: 'POST', headers: {}, content_type: 'application/json', ...config };
      const [request] = await requestsOf(webhookType, { config: settings, message });
      const sent = JSON.parse(String(request?.body));
      const link = message.links[0]?.url ?? '-';
      t.match(JSON.stringify(sent), link, `${name}: the link`);
      if (name === 'ntfy') t.ok(Buffer.byteLength(sent.message) <= 4_096, 'ntfy makes longer ones an attachment');
      if (name === 'Discord') {
        const [{ title, description, color, url }] = sent.embeds;
        t.ok(title.length <= 256 && description.length <= 4_096, `${description.length} characters`);
        t.match({ color, url }, { color: String(0xb42318), url: link });
        t.strictSame(sent.allowed_mentions, { parse: [] });
      }
      if (name === 'Teams') {
        const [{ content }] = sent.attachments;
        t.match(content, { body: [{ style: 'attention' }, {}], actions: [{ type: 'Action.OpenUrl', url: link }] });
      }
    }
  },
);

t.test('docs/alert-channels.md says what to do about every reason why a message does not arrive', async (t) => {
  const table = section('When a message does not arrive');
  for (const reason of endReasons) t.match(table, `\`${reason}\``, reason);
});
