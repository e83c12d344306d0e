import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { packageFolder } from '../../package-folder.js';
import { filledScript } from './install-script.js';

const script = readFileSync(new URL('install/install-agent', packageFolder), 'utf8');

/** Values of the defaults as a shell reads them. */
function defaultsOf(filled: string): string[] {
  const lines = filled.split('\n').filter((line) => line.startsWith('DEFAULT_'));
  const print = `${lines.join('\n')}\nprintf '%s\\n' "$DEFAULT_URL" "$DEFAULT_RELEASE" "$DEFAULT_KEY"`;
  return execFileSync('sh', ['-c', print], { encoding: 'utf8' }).split('\n').slice(0, 3);
}

t.test('the script has the URL, the release and the key of the control plane', async (t) => {
  const url = 'https://vantage.example';
  const filled = filledScript(script, { url, release: `${url}/release`, key: 'RWabc' });
  t.strictSame(defaultsOf(filled), [url, `${url}/release`, 'RWabc']);
  t.strictSame(defaultsOf(filledScript(script, { url, release: null, key: null })), [url, '', '']);
  t.throws(() => filledScript(filled, { url, release: null, key: null }), /no DEFAULT_URL/);
});

t.test('no character of a value is more than a character to the shell', async () => {
  const value = fc.string({ unit: fc.constantFrom(...`ab'"\\$\`;&|()<>*? !#~`) });
  fc.assert(
    fc.property(value, (text) => defaultsOf(filledScript(script, { url: text, release: null, key: null }))[0] === text),
    { numRuns: 100 },
  );
});
