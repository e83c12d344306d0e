import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missing } from '@vantage/shared/_support/missing.js';
import t from 'tap';
import { newKey } from './_support/built-release.js';
import { makeStandIn } from './_support/stand-in-release.js';
import { addedFiles } from './added-files.js';
import { ReleaseKey } from './minisign.js';

const key = ReleaseKey.read(newKey());
const skip = missing('tar');

t.test(
  'the files of another machine are added if they are of this version and as its manifest says',
  { skip },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'vantage-added-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const other = await makeStandIn(t, { version: '0.1.0', key, platform: 'linux-arm64', glibc: '2.35' });
    const name = 'vantage-agent-0.1.0-linux-arm64.tar.gz';
    t.match(await addedFiles(other, { version: '0.1.0', folder }), { files: [{ name }], glibc: '2.35' });
    t.ok((await readFile(join(folder, name))).equals(await readFile(join(other, name))));
    await t.rejects(addedFiles(other, { version: '0.2.0', folder }), /is release 0\.1\.0, not 0\.2\.0/);
    await writeFile(join(other, name), 'something else');
    await t.rejects(addedFiles(other, { version: '0.1.0', folder }), /has another checksum than its manifest says/);
  },
);
