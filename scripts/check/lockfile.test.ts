import t from 'tap';
import { findGaps, findRegistries, findUnverified } from './lockfile.js';

t.test('a dependency without an entry is found, optional ones too', async (t) => {
  const packages = {
    '': { dependencies: { a: '1.0.0' } },
    agent: { dependencies: { b: '1.0.0', '@scope/c': '1.0.0' } },
    'agent/node_modules/b': { dependencies: { a: '1.0.0', nested: '1.0.0' } },
    'agent/node_modules/b/node_modules/nested': {},
    'node_modules/a': { optionalDependencies: { '@a/linux': '1.0.0', '@a/win32': '1.0.0' } },
    'node_modules/@a/linux': { dependencies: { nested: '1.0.0' } },
    'node_modules/@scope/c': {},
  };
  t.match(findGaps(packages), [
    /no entry for "@a\/win32", which "node_modules\/a"/,
    /no entry for "nested", which "node_modules\/@a\/linux"/,
  ]);
  t.equal(findGaps(packages).length, 2);
});

t.test('a package without a checksum is found, unless it is bundled or of the project', async (t) => {
  const packages = {
    '': {},
    agent: {},
    'node_modules/agent': { resolved: 'agent', link: true },
    'node_modules/a': { integrity: 'sha512-AAAA' },
    'node_modules/a/node_modules/bundled': { inBundle: true },
    'node_modules/@a/win32': {},
    'agent/node_modules/b': {},
  };
  t.match(findUnverified(packages), [/"node_modules\/@a\/win32" has no integrity/, /"agent\/node_modules\/b" has no/]);
  t.equal(findUnverified(packages).length, 2);
});

t.test('an entry that names a registry is found, one of the project is not', async (t) => {
  const packages = {
    'node_modules/agent': { resolved: 'agent' },
    'node_modules/a': { resolved: 'https://registry.example/a.tgz' },
  };
  t.match(findRegistries(packages), [/"node_modules\/a" names a registry/]);
  t.equal(findRegistries(packages).length, 1);
});
