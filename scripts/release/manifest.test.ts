import t from 'tap';
import { type Manifest, manifestText, parseManifest } from './manifest.js';

const manifest: Manifest = {
  version: '0.1.0',
  node: { version: '20.20.2', sha256: 'ab'.repeat(32) },
  glibc: '2.34',
  files: [{ name: 'vantage-agent-0.1.0-linux-x64.tar.gz', bytes: 41_684_041, sha256: 'cd'.repeat(32) }],
};

t.test('a manifest is lines that a shell can read, and reads back as it was', async (t) => {
  t.equal(
    manifestText(manifest),
    `vantage-release 1
version 0.1.0
node 20.20.2 ${'ab'.repeat(32)}
glibc 2.34
file vantage-agent-0.1.0-linux-x64.tar.gz 41684041 ${'cd'.repeat(32)}
`,
  );
  t.strictSame(parseManifest(manifestText(manifest)), manifest);
  const rotated = { ...manifest, nextKey: 'RW' };
  t.strictSame(parseManifest(manifestText(rotated)), rotated);
});

t.test('another format, or one with a part missing, is refused by name', async (t) => {
  t.throws(() => parseManifest('vantage-release 2\n'), /begins with "vantage-release 1"/);
  t.throws(() => parseManifest(manifestText(manifest).replace(/^glibc.*\n/m, '')), /no glibc/);
});
