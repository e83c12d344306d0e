import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ExternalProgram } from '@vantage/shared/_support/external-programs.js';
import { missing } from '@vantage/shared/_support/missing.js';
import t from 'tap';
import { formatSecret, newSecret } from '../src/modules/webhooks/endpoints/secret.js';
import { signedHeaders } from '../src/modules/webhooks/sending/signature.js';

const document = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');
/** Where packages of tests are found. */
const cwd = new URL('.', import.meta.url);

/** Code of the document under a mark. */
function snippet(name: string): string {
  const [, code] = new RegExp(`<!-- snippet:${name} -->\\n+\`\`\`\\w+\\n([^]*?)\`\`\`\\n`).exec(document) ?? [];
  if (code === undefined) throw new Error(`docs/webhooks.md has no snippet "${name}"`);
  return code;
}

const run = (program: string, args: readonly string[], env: Readonly<Record<string, string>>, body: string) =>
  new Promise<number>((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['pipe', 'ignore', 'ignore'] });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? -1));
    child.stdin.on('error', () => {});
    child.stdin.end(body);
  });

const snippets: readonly (readonly [
  name: string,
  start: (code: string) => readonly [ExternalProgram | 'node', string[]],
])[] = [
  ['package', (code) => ['node', ['--input-type=module', '--eval', code]]],
  ['node', (code) => ['node', ['--input-type=module', '--eval', code]]],
  ['python', (code) => ['python3', ['-c', code]]],
  ['php', (code) => ['php', ['-r', code.replace('<?php', '')]]],
  ['shell', (code) => ['sh', ['-c', code]]],
];
const needs: Readonly<Record<string, ExternalProgram[]>> = { python: ['python3'], php: ['php'], shell: ['openssl'] };

const body = '{"type":"monitor.down","data":{"name":"Café 🙂 \\"quoted\\" %s"}}';

for (const [name, start] of snippets) {
  t.test(
    `the ${name} example of docs/webhooks.md accepts our requests, and no altered ones`,
    { skip: missing(...(needs[name] ?? [])) },
    async (t) => {
      const [secret, previous] = [newSecret(), newSecret()];
      const [program, args] = start(snippet(name));
      const verify = async (
        changes: Readonly<Record<string, string>> = {},
        { text = body, atMs = Date.now() } = {},
      ) => {
        const headers = signedHeaders({ id: 'evt_1', body, atMs }, [secret, previous]);
        const env = {
          WEBHOOK_SECRET: formatSecret(secret),
          WEBHOOK_ID: headers['webhook-id'],
          WEBHOOK_TIMESTAMP: headers['webhook-timestamp'],
          WEBHOOK_SIGNATURE: headers['webhook-signature'],
          ...changes,
        };
        return (await run(program, args, env, text)) === 0;
      };
      t.equal(await verify(), true);
      t.equal(await verify({ WEBHOOK_SECRET: formatSecret(previous) }), true, 'the previous secret');
      t.equal(await verify({ WEBHOOK_SECRET: formatSecret(newSecret()) }), false, 'another secret');
      t.equal(await verify({}, { text: body.replace('down', 'up') }), false, 'another body');
      t.equal(await verify({ WEBHOOK_ID: 'evt_2' }), false, 'another id');
      t.equal(await verify({ WEBHOOK_SIGNATURE: 'v1,AAAA' }), false, 'no signature');
      t.equal(await verify({}, { atMs: Date.now() - 400_000 }), false, 'an old request');
    },
  );
}
