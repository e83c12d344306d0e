import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { twilioAccount } from '@vantage/shared/_support/vendors/twilio.js';
import t from 'tap';
import { parse, stringify } from 'yaml';
import { locales } from '../src/http/locale.js';
import type { TypeRequest } from '../src/modules/alerts/types/channel-type.js';
import { messageKinds } from '../src/modules/alerts/types/message.js';
import { channelTypes } from '../src/modules/alerts/types/registry.js';
import { messageOf } from './_support/alert-messages.js';
import { knownConfigs, noSettings, requestsOf } from './_support/channel-attempts.js';
import { type VendorTypeName, vendorTypeNames } from './_support/vendors/index.js';

// testdata/channel-requests/TYPE.yml has the requests of a type for each kind of message and language. After a change
// that is meant, VANTAGE_TEST_WRITE=1 writes them.

const twilio = {
  kind: 'twilio',
  account_sid: twilioAccount.sid,
  auth_token: twilioAccount.token,
  from: twilioAccount.from,
} as const;
const types = channelTypes({
  ...noSettings,
  smsGateway: twilio,
  voiceGateway: twilio,
});

for (const name of vendorTypeNames) {
  t.test(`${name}: requests of every kind and language equal those of the golden file`, async (t) => {
    const file = fileURLToPath(new URL(`../../test/testdata/channel-requests/${name}.yml`, import.meta.url));
    const requests = await allRequests(name);
    if (process.env['VANTAGE_TEST_WRITE'] === '1')
      writeFileSync(file, stringify(requests, { lineWidth: 0, aliasDuplicateObjects: false }));
    const golden = existsSync(file) ? parse(readFileSync(file, 'utf8')) : {};
    t.strictSame(Object.keys(requests), Object.keys(golden));
    for (const [title, request] of Object.entries(requests)) t.strictSame(request, golden[title], title);
  });
}

async function allRequests(name: VendorTypeName): Promise<Record<string, unknown>> {
  const written: Record<string, unknown> = {};
  const config = knownConfigs[name]();
  for (const kind of messageKinds) {
    for (const locale of locales) {
      const requests = await requestsOf(types[name], { config, message: messageOf(kind, locale) });
      written[`${kind} ${locale}`] = requests.map(readable);
    }
  }
  const plain = await requestsOf(types[name], { config, isPlain: true });
  written['firing en, plain'] = plain.map(readable);
  return written;
}

/** A request as people read it: its body as JSON or as a form. */
function readable({ method, url, headers = {}, body }: TypeRequest): unknown {
  const text = String(body);
  const isForm = /form-urlencoded/.test(headers['content-type'] ?? '');
  return {
    request: `${method} ${url}`,
    headers,
    body: isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text),
  };
}
