import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t from 'tap';
import { type Complaint, ConfigError, type Environment, loadConfig, parseConfig } from './config.js';
import { type Setting, settings } from './settings.js';
import { settingsHelp, settingsTable } from './settings-reference.js';

const directory = mkdtempSync(path.join(tmpdir(), 'vantage-config-'));
t.teardown(() => rmSync(directory, { recursive: true }));

const keyHex = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
const keyBase64 = Buffer.from(keyHex, 'hex').toString('base64');

function parse(env: Environment, file: unknown = null) {
  return parseConfig({ env: { HOME: '/home/ada', ...env }, file });
}

function complaintsOf(env: Environment, file: unknown = null): readonly Complaint[] {
  try {
    parse(env, file);
  } catch (error) {
    if (error instanceof ConfigError) return error.complaints;
    throw error;
  }
  return [];
}

function fileWith(name: string, text: string): string {
  const file = path.join(directory, name);
  writeFileSync(file, text);
  return file;
}

t.test('without any variable every setting has its default', async (t) => {
  const { config, warnings } = parse({});
  t.same(warnings, []);
  t.match(config, {
    databaseUrl: null,
    listen: { host: '127.0.0.1', port: 8080 },
    metricsListen: { host: '127.0.0.1', port: 9464 },
    publicUrl: null,
    abuseContact: null,
    servesSpeedtests: false,
    secretKey: null,
    busUrl: { kind: 'postgres' },
    replicaUrl: null,
    drainMs: 10_000,
    smtp: null,
    mailFrom: null,
    mailDir: null,
    allowTargets: [],
    canaryTargets: [],
    channelUrls: {},
    smsGateway: null,
    voiceGateway: null,
    trustedProxies: [],
    logLevel: 'info',
    plans: {
      free: {
        requests_per_minute: 60,
        node_tests_per_day: 1000,
        monitors: 10,
        min_interval_s: 60,
        nodes: 5,
        sms_per_month: 0,
        voice_per_month: 0,
        check_days: 7,
      },
    },
  });
  t.ok(Object.isFrozen(config));
});

t.test('an empty variable counts as unset', async (t) => {
  const env = Object.fromEntries(Object.values(settings).map(({ name }) => [name, ' ']));
  t.same(parse(env).config, parse({}).config);
});

t.test('the data directory follows root, XDG_DATA_HOME and HOME', async (t) => {
  const fallback = settings.dataDir.fallback;
  t.equal(fallback({ isRoot: true, homeDirectory: '/root', dataHome: '/root/data' }), '/var/lib/vantage');
  t.equal(fallback({ isRoot: false, homeDirectory: '/home/ada', dataHome: null }), '/home/ada/.local/share/vantage');
  t.equal(fallback({ isRoot: false, homeDirectory: '/home/ada', dataHome: '/data/ada' }), '/data/ada/vantage');
  t.equal(fallback({ isRoot: false, homeDirectory: '/home/ada', dataHome: 'data' }), '/home/ada/.local/share/vantage');
});

const genericGateway = (parts: object) => JSON.stringify({ kind: 'generic', url: 'https://a.example/', ...parts });

const oauthEntry = { id: 'example', name: 'Example', kind: 'oidc', issuer: 'https://id.example/a' };
const oauth = (...entries: readonly object[]) =>
  JSON.stringify(entries.map((entry) => ({ ...oauthEntry, client_id: 'a', client_secret: 'b', ...entry })));

const accepted: { env: Environment; key: keyof typeof settings; value: unknown }[] = [
  { env: { VANTAGE_LISTEN: '[::1]:80' }, key: 'listen', value: { host: '::1', port: 80 } },
  { env: { VANTAGE_LISTEN: ':0' }, key: 'listen', value: { host: null, port: 0 } },
  { env: { VANTAGE_LISTEN: 'localhost:65535' }, key: 'listen', value: { host: 'localhost', port: 65_535 } },
  { env: { VANTAGE_METRICS_LISTEN: 'off' }, key: 'metricsListen', value: null },
  { env: { VANTAGE_PUBLIC_URL: 'HTTPS://Probe.Example:443/' }, key: 'publicUrl', value: 'https://probe.example' },
  { env: { VANTAGE_SECRET_KEY: keyHex }, key: 'secretKey', value: Buffer.from(keyHex, 'hex') },
  { env: { VANTAGE_SECRET_KEY: keyBase64 }, key: 'secretKey', value: Buffer.from(keyHex, 'hex') },
  {
    env: { VANTAGE_DATABASE_URL: 'postgres://u:p@/db?host=/run/pg' },
    key: 'databaseUrl',
    value: 'postgres://u:p@/db?host=/run/pg',
  },
  {
    env: { VANTAGE_ALLOW_TARGETS: '10.0.0.0/8, 127.0.1.1,FD00:0::/8,10.0.0.0/8,' },
    key: 'allowTargets',
    value: ['10.0.0.0/8', '127.0.1.1/32', 'fd00::/8'],
  },
  { env: { VANTAGE_TRUSTED_PROXIES: 'FC00::/7,10.0.0.0/8' }, key: 'trustedProxies', value: ['fc00::/7', '10.0.0.0/8'] },
  { env: { VANTAGE_SPEEDTEST: 'on' }, key: 'servesSpeedtests', value: true },
  { env: { VANTAGE_GEOIP_DIR: directory }, key: 'geoipDir', value: directory },
  { env: { VANTAGE_ABUSE_CONTACT: 'abuse@a.example' }, key: 'abuseContact', value: 'abuse@a.example' },
  {
    env: { VANTAGE_ABUSE_CONTACT: 'HTTPS://A.Example:443/abuse?by=mail#form' },
    key: 'abuseContact',
    value: 'https://a.example/abuse?by=mail#form',
  },
  {
    env: { VANTAGE_SMTP_URL: 'smtp://Ada:p%40ss%23@Mail.Example' },
    key: 'smtp',
    value: {
      host: 'Mail.Example',
      port: 587,
      encryption: 'starttls',
      credentials: { user: 'Ada', password: 'p@ss#' },
    },
  },
  {
    env: { VANTAGE_SMTP_URL: 'smtps://[::1]/' },
    key: 'smtp',
    value: { host: '::1', port: 465, encryption: 'tls', credentials: null },
  },
  {
    env: { VANTAGE_SMTP_URL: 'smtp://relay:25' },
    key: 'smtp',
    value: { host: 'relay', port: 25, encryption: 'starttls', credentials: null },
  },
  {
    env: { VANTAGE_SMTP_URL: 'smtp://relay?tls=optional' },
    key: 'smtp',
    value: { host: 'relay', port: 587, encryption: 'starttls-if-offered', credentials: null },
  },
  ...['LocalHost', '127.0.0.1', '[::1]'].map((host) => ({
    env: { VANTAGE_SMTP_URL: `smtp://${host}` },
    key: 'smtp' as const,
    value: { host: host.replace(/[[\]]/g, ''), port: 587, encryption: 'starttls-if-offered', credentials: null },
  })),
  {
    env: { VANTAGE_SMTP_URL: 'smtp://127.0.0.1?tls=required' },
    key: 'smtp',
    value: { host: '127.0.0.1', port: 587, encryption: 'starttls', credentials: null },
  },
  {
    env: { VANTAGE_SMTP_URL: 'smtp://u:p@relay:25?tls=off' },
    key: 'smtp',
    value: { host: 'relay', port: 25, encryption: 'none', credentials: { user: 'u', password: 'p' } },
  },
  { env: { VANTAGE_REPLICA_URL: 'https://a.example:443' }, key: 'replicaUrl', value: 'https://a.example' },
  { env: { VANTAGE_DRAIN_SECONDS: '0' }, key: 'drainMs', value: 0 },
  { env: { VANTAGE_BUS_URL: 'postgres' }, key: 'busUrl', value: { kind: 'postgres' } },
  {
    env: { VANTAGE_BUS_URL: 'nats://u:p%40ss@a, nats://[::1]:1' },
    key: 'busUrl',
    value: {
      kind: 'nats',
      servers: ['a:4222', '[::1]:1'],
      isTls: false,
      credentials: { kind: 'password', user: 'u', password: 'p@ss' },
    },
  },
  {
    env: { VANTAGE_BUS_URL: 'tls://t0ken@a' },
    key: 'busUrl',
    value: { kind: 'nats', servers: ['a:4222'], isTls: true, credentials: { kind: 'token', token: 't0ken' } },
  },
  { env: { VANTAGE_MAIL_FROM: 'a@b.example' }, key: 'mailFrom', value: { name: null, address: 'a@b.example' } },
  {
    env: { VANTAGE_MAIL_FROM: '"Vantage, Inc." <a@b.example>' },
    key: 'mailFrom',
    value: { name: 'Vantage, Inc.', address: 'a@b.example' },
  },
  {
    env: { VANTAGE_MAIL_FROM: '远见 <a@b.example>' },
    key: 'mailFrom',
    value: { name: '远见', address: 'a@b.example' },
  },
  { env: { VANTAGE_MAIL_DIR: '/var/mail/vantage' }, key: 'mailDir', value: '/var/mail/vantage' },
  {
    env: { VANTAGE_CHANNEL_URLS: '{"slack": "HTTPS://Chat.Example:443/", "wechatwork": "http://127.0.0.1:8081"}' },
    key: 'channelUrls',
    value: { slack: 'https://chat.example', wecom: 'http://127.0.0.1:8081' },
  },
  {
    env: { VANTAGE_SMS_GATEWAY: '{"kind": "generic", "url": "https://sms.example/send", "id_path": "data.id"}' },
    key: 'smsGateway',
    value: { kind: 'generic', url: 'https://sms.example/send', id_path: 'data.id' },
  },
  {
    env: {
      VANTAGE_VOICE_GATEWAY: '{"kind": "twilio", "account_sid": "AC1", "auth_token": "t", "from": "+15005550006"}',
    },
    key: 'voiceGateway',
    value: { kind: 'twilio', account_sid: 'AC1', auth_token: 't', from: '+15005550006' },
  },
  {
    env: { VANTAGE_REGISTRY_RATES: 'RDAP.example=5, whois.example:4343=100000' },
    key: 'registryRates',
    value: new Map([
      ['rdap.example', 5],
      ['whois.example:4343', 100_000],
    ]),
  },
];

for (const { env, key, value } of accepted) {
  t.test(`accepts ${Object.entries(env).join()}`, async (t) => t.same(parse(env).config[key], value));
}

const refused: { env: Environment; message: RegExp }[] = [
  { env: { VANTAGE_LISTEN: '8080' }, message: /host:port.*"8080"/ },
  { env: { VANTAGE_LISTEN: '::1:8080' }, message: /host:port/ },
  { env: { VANTAGE_LISTEN: '[127.0.0.1]:80' }, message: /host:port/ },
  { env: { VANTAGE_LISTEN: '127.0.0.1:65536' }, message: /host:port/ },
  { env: { VANTAGE_LISTEN: '1.2.3:80' }, message: /host:port/ },
  { env: { VANTAGE_LISTEN: 'off' }, message: /host:port/ },
  { env: { VANTAGE_METRICS_LISTEN: 'none' }, message: /host:port/ },
  { env: { VANTAGE_PUBLIC_URL: 'https://a.example/probe' }, message: /without path/ },
  { env: { VANTAGE_PUBLIC_URL: 'https://u:p@a.example' }, message: /https:\/\/…@a.example/ },
  { env: { VANTAGE_PUBLIC_URL: 'ftp://a.example' }, message: /http or https/ },
  { env: { VANTAGE_PUBLIC_URL: 'a.example' }, message: /http or https/ },
  { env: { VANTAGE_SECRET_KEY: 'c2hvcnQ=' }, message: /32 bytes/ },
  { env: { VANTAGE_REPLICA_URL: 'https://a.example/x' }, message: /without path/ },
  { env: { VANTAGE_DRAIN_SECONDS: '3601' }, message: /a whole number of seconds from 0 to 3600, not "3601"/ },
  { env: { VANTAGE_DRAIN_SECONDS: '1.5' }, message: /a whole number of seconds/ },
  { env: { VANTAGE_BUS_URL: 'redis://localhost' }, message: /must be postgres, or nats:/ },
  { env: { VANTAGE_BUS_URL: 'nats://a/path' }, message: /must end after the port/ },
  { env: { VANTAGE_BUS_URL: 'nats://a,tls://b' }, message: /nats:\/\/ for all servers, or tls:/ },
  { env: { VANTAGE_BUS_URL: 'nats://u:p@a,nats://u:q@b' }, message: /same credentials/ },
  { env: { VANTAGE_BUS_URL: 'nats://:p@a' }, message: /password without a user/ },
  { env: { VANTAGE_BUS_URL: 'nats://u:%@a' }, message: /not written as %25/ },
  { env: { VANTAGE_CANARY_TARGETS: 'tcp://a.example:443,http://b.example' }, message: /"http:\/\/b.example"/ },
  {
    env: { VANTAGE_TRUSTED_PROXIES: '10.0.0.0/8,0.0.0.0/0' },
    message: /"0.0.0.0\/0", which lets every caller choose/,
  },
  { env: { VANTAGE_TRUSTED_PROXIES: '::/0' }, message: /"::\/0"/ },
  { env: { VANTAGE_ALLOW_TARGETS: '10.0.0.0/8,fo,10.0.0.1/8' }, message: /"fo", "10.0.0.1\/8"/ },
  {
    env: { VANTAGE_PLANS: '{"free": {"monitors": -1, "cats": 2}}' },
    message: /free.cats is not a known field; known: requests_per_minute, .*; free.monitors must be at least 0/,
  },
  { env: { VANTAGE_PLANS: '{"gold": {}}' }, message: /gold is not a known field/ },
  { env: { VANTAGE_PLANS: '{"free":' }, message: /not valid JSON/ },
  { env: { VANTAGE_PLANS: '/nonexistent/plans.json' }, message: /can't be read \(ENOENT\)/ },
  { env: { VANTAGE_OAUTH: '[{"id": "x", "client_secret": "hidden"' }, message: /^is not valid JSON$/ },
  { env: { VANTAGE_OAUTH: '{}' }, message: /must be a JSON list/ },
  { env: { VANTAGE_OAUTH: '[{"kind": "saml"}]' }, message: /entry 1 must have kind oidc or github/ },
  { env: { VANTAGE_OAUTH: oauth({ issuer: undefined }) }, message: /entry 1 .*: issuer is required/ },
  { env: { VANTAGE_OAUTH: oauth({ id: 'A/B' }) }, message: /entry 1 .*: id / },
  { env: { VANTAGE_OAUTH: oauth({ secret: 'hidden' }) }, message: /entry 1 .*: secret is not a known field/ },
  {
    env: { VANTAGE_OAUTH: oauth({ issuer: 'http://id.example' }) },
    message: /wrong issuer: it must be an https address/,
  },
  { env: { VANTAGE_OAUTH: oauth({ issuer: 'https://id.example:22' }) }, message: /entry 1 .*issuer/ },
  { env: { VANTAGE_OAUTH: oauth({}, {}) }, message: /has the id "example" twice/ },
  { env: { VANTAGE_OAUTH: '/nonexistent/oauth.json' }, message: /can't be read \(ENOENT\)/ },
  { env: { VANTAGE_OAUTH_REDIRECTS: 'https://a.example/x?y' }, message: /without query and fragment/ },
  { env: { VANTAGE_OAUTH_REDIRECTS: 'javascript:alert(1)' }, message: /must have https addresses/ },
  { env: { VANTAGE_TLS_CERT: directory, VANTAGE_TLS_KEY: fileWith('key.pem', 'x') }, message: /is not a file/ },
  { env: { VANTAGE_TLS_CERT: fileWith('cert.pem', 'x') }, message: /VANTAGE_TLS_KEY is not/ },
  { env: { VANTAGE_ABUSE_CONTACT: 'the admin' }, message: /e-mail address or an http.*"the admin"/ },
  { env: { VANTAGE_ABUSE_CONTACT: 'a@b@c.example' }, message: /e-mail address/ },
  { env: { VANTAGE_ABUSE_CONTACT: 'abuse@$' }, message: /e-mail address/ },
  { env: { VANTAGE_ABUSE_CONTACT: 'abuse@a.example\nb@c.example' }, message: /e-mail address/ },
  { env: { VANTAGE_ABUSE_CONTACT: `${'a'.repeat(250)}@a.example` }, message: /e-mail address/ },
  { env: { VANTAGE_ABUSE_CONTACT: 'mailto:abuse@a.example' }, message: /e-mail address/ },
  { env: { VANTAGE_ABUSE_CONTACT: 'javascript:alert(1)' }, message: /e-mail address/ },
  { env: { VANTAGE_ABUSE_CONTACT: 'https://u:p@a.example' }, message: /https:\/\/…@a.example/ },
  { env: { VANTAGE_SMTP_URL: 'mail.example' }, message: /smtp:\/\/user:password@host/ },
  { env: { VANTAGE_SMTP_URL: 'http://mail.example' }, message: /smtp:\/\// },
  { env: { VANTAGE_SMTP_URL: 'smtp://mail.example/inbox' }, message: /end after the port/ },
  { env: { VANTAGE_SMTP_URL: 'smtp://ada@mail.example' }, message: /both user and password/ },
  { env: { VANTAGE_SMTP_URL: 'smtp://ada:100%@mail.example' }, message: /written as %25/ },
  {
    env: { VANTAGE_SMTP_URL: 'smtp://u:p@mail.example?tls=optional' },
    message: /must not have tls=optional with a password/,
  },
  { env: { VANTAGE_SMTP_URL: 'smtp://mail.example?tls=never' }, message: /tls=required, tls=optional or tls=off/ },
  { env: { VANTAGE_SMTP_URL: 'smtp://mail.example?ssl=on' }, message: /unknown parameter "ssl"/ },
  { env: { VANTAGE_MAIL_FROM: 'Vantage' }, message: /e-mail address or Name <address>, not "Vantage"/ },
  { env: { VANTAGE_MAIL_FROM: 'a@b.example, c@d.example' }, message: /e-mail address/ },
  { env: { VANTAGE_MAIL_FROM: 'A <a@b.example>\r\nBcc: <c@d.example>' }, message: /e-mail address/ },
  { env: { VANTAGE_GEOIP_DIR: '/nonexistent/vantage' }, message: /is not a directory/ },
  { env: { VANTAGE_DENY_TARGETS_FILE: '/nonexistent/vantage' }, message: /can't be read/ },
  { env: { VANTAGE_LOG_LEVEL: 'loud' }, message: /must be one of trace,/ },
  { env: { VANTAGE_DATABASE_URL: 'mysql://localhost' }, message: /postgres:\/\// },
  { env: { VANTAGE_CHANNEL_URLS: 'https://a.example' }, message: /not valid JSON/ },
  { env: { VANTAGE_CHANNEL_URLS: '["https://a.example"]' }, message: /must be object/ },
  {
    env: { VANTAGE_CHANNEL_URLS: '{"smoke": "https://a.example"}' },
    message: /unknown type "smoke"; there are slack,/,
  },
  { env: { VANTAGE_CHANNEL_URLS: '{"slack": "https://a.example/hook"}' }, message: /without path/ },
  { env: { VANTAGE_CHANNEL_URLS: '{"slack": "https://a.example:25"}' }, message: /slack.*port 25 is blocked/ },
  { env: { VANTAGE_CHANNEL_URLS: '{"lark": "http://127.0.0.1:6379"}' }, message: /lark.*port 6379 is blocked/ },
  {
    env: { VANTAGE_CHANNEL_URLS: '{"wecom": "https://a.example", "wechatwork": "https://b.example"}' },
    message: /wecom by two names/,
  },
  {
    env: { VANTAGE_SMS_GATEWAY: '{"kind": "generic", "url": "https://a.example:25/send"}' },
    message: /url.*port 25 is blocked/,
  },
  {
    env: {
      VANTAGE_VOICE_GATEWAY:
        '{"kind": "twilio", "account_sid": "AC1", "auth_token": "x", "from": "+1", "base_url": "http://127.0.0.1:5432"}',
    },
    message: /base_url.*port 5432 is blocked/,
  },
  { env: { VANTAGE_CHANNEL_URLS: '{"slack": 1}' }, message: /slack must be string/ },
  { env: { VANTAGE_SMS_GATEWAY: '{' }, message: /not valid JSON/ },
  { env: { VANTAGE_SMS_GATEWAY: '{"kind": "carrier-pigeon"}' }, message: /kind generic or twilio/ },
  { env: { VANTAGE_SMS_GATEWAY: '{"kind": "generic"}' }, message: /url is required/ },
  {
    env: { VANTAGE_SMS_GATEWAY: '{"kind": "generic", "url": "https://u:p@a.example/"}' },
    message: /url must match pattern/,
  },
  {
    env: { VANTAGE_SMS_GATEWAY: '{"kind": "generic", "url": "https://a.example/", "headers": {"Host": "b.example"}}' },
    message: /a header that requests cannot have/,
  },
  ...['text/html', 'application/x-yaml', 'application/json; charset=utf-7', 'application/json, text/plain', ''].map(
    (type) => ({
      env: { VANTAGE_SMS_GATEWAY: genericGateway({ headers: { 'content-type': type }, body: '{{text}}' }) },
      message: /must have a Content-Type that is application\/json, .* in UTF-8/,
    }),
  ),
  {
    env: { VANTAGE_SMS_GATEWAY: genericGateway({ headers: { 'Content-Type': 'text/xml' } }) },
    message: /must have a body, since its Content-Type is not JSON/,
  },
  ...[{ url: 'https://a.example/?to={{to}}' }, { headers: { 'X-To': '{{to}}' } }].map((part) => ({
    env: { VANTAGE_VOICE_GATEWAY: genericGateway(part) },
    message: /has a placeholder outside of its body/,
  })),
  {
    env: { VANTAGE_SMS_GATEWAY: genericGateway({ headers: { 'X-To': 'a\r\nb: c' } }) },
    message: /a header that requests cannot have/,
  },
  {
    env: { VANTAGE_SMS_GATEWAY: '{"kind": "twilio", "account_sid": "AC1", "auth_token": "t"}' },
    message: /either from or messaging_service_sid/,
  },
  {
    env: {
      VANTAGE_VOICE_GATEWAY:
        '{"kind": "twilio", "account_sid": "AC1", "auth_token": "t", "messaging_service_sid": "MG1"}',
    },
    message: /calls come from a number/,
  },
  ...['rdap.example', 'rdap.example=', '=5', 'rdap.example=-1', 'rdap.example=1.5', 'a.example=5;b.example=6'].map(
    (text) => ({
      env: { VANTAGE_REGISTRY_RATES: text },
      message: new RegExp(`has "${text}", which is not HOST=PER_MINUTE`),
    }),
  ),
  { env: { VANTAGE_REGISTRY_RATES: 'a.example=5,' }, message: /has "", which is not HOST=PER_MINUTE/ },
  { env: { VANTAGE_REGISTRY_RATES: 'a.example=0' }, message: /a whole number from 1 to 100000, not "0"/ },
  { env: { VANTAGE_REGISTRY_RATES: 'a.example=100001' }, message: /not "100001"/ },
  { env: { VANTAGE_REGISTRY_RATES: 'a.example=5,A.example=6' }, message: /has "A.example" twice/ },
];

for (const { env, message } of refused) {
  t.test(`refuses ${Object.entries(env).join(' ')}`, async (t) => {
    const complaints = complaintsOf(env);
    t.equal(complaints.length, 1);
    t.equal(complaints[0]?.name, Object.keys(env)[0]);
    t.match(complaints[0]?.message, message);
  });
}

t.test('all complaints come at once, from every source', async (t) => {
  const env = {
    VANTAGE_LISTEN: 'x',
    VANTAGE_LOG_LEVEL: 'y',
    VANTAGE_SECRET_KEY_FILE: '/nonexistent/vantage',
    VANTAGE_TLS_KEY: '/nonexistent/vantage',
  };
  const complaints = complaintsOf(env, { public_url: 'z' });
  t.same(complaints.map(({ name }) => name).sort(), [
    '"public_url" in the configuration file',
    'VANTAGE_LISTEN',
    'VANTAGE_LOG_LEVEL',
    'VANTAGE_SECRET_KEY_FILE',
    'VANTAGE_TLS_KEY',
  ]);
});

t.test('no complaint repeats a secret', async (t) => {
  const secret = 'hunter2-hunter2';
  const env = {
    VANTAGE_SECRET_KEY: secret,
    VANTAGE_DATABASE_URL: `mysql://u:${secret}@h`,
    VANTAGE_BUS_URL: `nats://u:${secret}@h/path`,
    VANTAGE_SMTP_URL: `smtp://u:${secret}%@h?${secret}`,
    VANTAGE_PUBLIC_URL: `https://u:${secret}@h`,
    VANTAGE_SMS_GATEWAY: `{"kind": "twilio", "auth_token": "${secret}"}`,
    VANTAGE_VOICE_GATEWAY: `{"kind": "generic", "auth_token": "${secret}"`,
  };
  const complaints = complaintsOf(env);
  t.equal(complaints.length, 7);
  t.notMatch(JSON.stringify(complaints), /hunter2/);
});

t.test('a secret may be in a file, and not in both places', async (t) => {
  const file = fileWith('secret-key', `${keyHex}\n`);
  t.same(parse({ VANTAGE_SECRET_KEY_FILE: file }).config.secretKey, Buffer.from(keyHex, 'hex'));
  t.match(complaintsOf({ VANTAGE_SECRET_KEY_FILE: file, VANTAGE_SECRET_KEY: keyHex }), [{ message: /both set/ }]);
  t.match(complaintsOf({ VANTAGE_SECRET_KEY_FILE: fileWith('empty', '\n') }), [
    { name: 'VANTAGE_SECRET_KEY_FILE', message: /empty/ },
  ]);
});

t.test('the JSON file has the same settings, and the environment wins', async (t) => {
  const content = {
    listen: ':1',
    log_level: 'debug',
    allow_targets: ['10.0.0.0/8', '127.0.1.0/24'],
    plans: { free: { monitors: null } },
  };
  const { config } = parse({ VANTAGE_LOG_LEVEL: 'warn' }, content);
  t.same(config.listen, { host: null, port: 1 });
  t.equal(config.logLevel, 'warn');
  t.same(config.allowTargets, ['10.0.0.0/8', '127.0.1.0/24']);
  t.equal(config.plans.free.monitors, null);
  t.equal(config.plans.free.requests_per_minute, 60, 'the rest of the plan stays');
  const file = fileWith('config.json', JSON.stringify(content));
  t.equal(loadConfig({ HOME: '/', VANTAGE_CONFIG: file }).config.logLevel, 'debug');
});

t.test(
  'a file with a line for each variable has the same settings, the usual one unless another is named',
  async (t) => {
    const text =
      "# comment\n; another\n\nVANTAGE_LISTEN=:1\nexport VANTAGE_LOG_LEVEL='debug'\nVANTAGE_SECRET_KEY=\nPATH=/x\nVANTAGE_OTHER=#1\n";
    const file = fileWith('control.env', text);
    const env = { HOME: '/', VANTAGE_LOG_LEVEL: 'warn' };
    const loaded = loadConfig(env, file);
    t.same(loaded.config.listen, { host: null, port: 1 });
    t.equal(loaded.config.logLevel, 'warn', 'the environment wins');
    t.equal(loadConfig({ HOME: '/' }, file).config.logLevel, 'debug');
    t.same(loaded.warnings, ['unknown variable VANTAGE_OTHER']);
    t.equal(loaded.sources, `the environment and "${file}"`);
    t.same(loadConfig({ ...env, VANTAGE_CONFIG: file }, '/nonexistent').config.listen, { host: null, port: 1 });
    t.match(loadConfig(env, '/nonexistent').sources, 'the environment; "/nonexistent" does not exist');
    const complaintsIn = (path: string) =>
      (t.throws(() => loadConfig(env, path), ConfigError) as ConfigError).complaints;
    const mistake = fileWith('mistake.env', 'VANTAGE_LISTEN=:1\nrubbish\n');
    t.match(complaintsIn(mistake), [{ message: `line 2 of "${mistake}" is not NAME=value` }]);
    const wrong = fileWith('wrong.env', 'VANTAGE_LISTEN=x\n');
    t.match(complaintsIn(wrong), [{ name: `VANTAGE_LISTEN in "${wrong}"` }]);
  },
);

t.test('a missing or invalid JSON file is reported with all other errors', async (t) => {
  for (const file of ['/nonexistent/vantage', fileWith('broken.json', '{')]) {
    const error = t.throws(() => loadConfig({ VANTAGE_CONFIG: file, VANTAGE_LISTEN: 'x' }), ConfigError);
    t.same(
      (error as ConfigError).complaints.map(({ name }) => name),
      ['VANTAGE_CONFIG', 'VANTAGE_LISTEN'],
    );
  }
  t.match(complaintsOf({}, ['listen']), [{ name: 'VANTAGE_CONFIG', message: /JSON object/ }]);
});

t.test('external providers may come from a file', async (t) => {
  const file = fileWith('oauth.json', oauth({}, { id: 'other' }));
  t.match(parse({ VANTAGE_OAUTH: file }).config.providers, [{ id: 'example' }, { id: 'other' }]);
  const redirects = 'https://a.example/back, http://127.0.0.1:7000/back, com.example.app:/back';
  t.equal(parse({ VANTAGE_OAUTH_REDIRECTS: redirects }).config.providerRedirects.length, 3);
});

t.test('plans may come from a file', async (t) => {
  const file = fileWith('plans.json', '{"pro": {"nodes": 7}}');
  t.equal(parse({ VANTAGE_PLANS: file }).config.plans.pro.nodes, 7);
});

t.test('an unknown VANTAGE_ name is a warning; variables of other programs are not', async (t) => {
  const others = {
    VANTAGE_TOKEN: 'x',
    VANTAGE_URL: 'x',
    VANTAGE_AGENT_BIND: 'x',
    VANTAGE_STATE_DIR: 'x',
    VANTAGE_TEST_DATABASE_URL: 'x',
    PATH: 'x',
  };
  t.same(parse({ ...others, VANTAGE_LISTENN: ':1', VANTAGE_LISTEN_FILE: 'x' }, { lisen: ':2' }).warnings, [
    'unknown variable VANTAGE_LISTENN',
    'unknown variable VANTAGE_LISTEN_FILE',
    'unknown key "lisen" in the configuration file',
  ]);
});

t.test('help and table name every setting with its default', async (t) => {
  for (const { name, fallbackText } of Object.values<Setting<unknown>>(settings)) {
    for (const text of [settingsHelp(), settingsTable()]) {
      t.ok(text.includes(name), name);
      t.ok(text.includes(fallbackText), fallbackText);
    }
  }
});
