import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isSignedBy } from '@vantage/shared/minisign.js';
import { Command } from 'commander';
import { request } from 'undici';
import { ownFacts, releasedClient } from '../client-file.js';
import { printText } from '../terminal/print.js';
import { ApiUnreachable } from './api-client.js';
import { complain, withServer } from './with-client.js';

interface VerifyOptions {
  readonly url?: string;
  readonly key?: string;
}

/** `vantage verify`: compares this file with the signed release of its control plane. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description('Check that this file is the client of the signed release of its server')
    .option('--key <key>', 'public key of the release, from its publisher (default: the one that the server named)')
    .option('--url <url>', 'address of the server')
    .addHelpText('after', '\nExamples:\n  vantage verify\n  vantage verify --key RW…')
    .action(verify);
}

async function verify({ url: option, key: given }: VerifyOptions): Promise<void> {
  const facts = ownFacts();
  if (facts === null)
    return complain(2, 'this is the client of a release or a checkout: only the file of /vantage verifies itself');
  const url = option ?? facts.url ?? undefined;
  await withServer(url === undefined ? {} : { url }, async ({ url: server }) => {
    const key = given ?? facts.key;
    const [manifest, signature] = await Promise.all(
      ['manifest', 'manifest.minisig'].map((name) => fetchFile(server, name)),
    );
    if (key === null || !manifest || !signature) return complain(1, `${server} has no signed release to compare with`);
    if (!isSignedBy(key, Buffer.from(manifest), signature))
      return complain(1, `the release of ${server} is not signed with the key ${key}`);
    const version = /^version (.*)$/m.exec(manifest)?.[1];
    if (version !== facts.version)
      return complain(
        1,
        `this is version ${facts.version}, the release is ${version}: download ${server}/vantage again`,
      );
    const own = releasedClient(readFileSync(process.argv[1] ?? '', 'utf8'), facts.version);
    const sum = createHash('sha256').update(own).digest('hex');
    if (!manifest.split('\n').some((line) => line.startsWith('file vantage ') && line.endsWith(` ${sum}`)))
      return complain(1, `this file is not that of release ${version}: do not use it`);
    printText(`this file is that of release ${version}, signed with the key ${key}`);
  });
}

/** Null: the server has no such file. @throws ApiUnreachable */
async function fetchFile(server: string, name: string): Promise<string | null> {
  try {
    const { statusCode, body } = await request(new URL(`/release/${name}`, server));
    const text = await body.text();
    return statusCode === 200 ? text : null;
  } catch (cause) {
    throw new ApiUnreachable(`no response from ${server}: ${(cause as Error).message}`, { cause });
  }
}
