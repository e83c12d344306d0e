import t from 'tap';
import { findPackages } from './packages.js';

const known = {
  published: new Set(['ours-on-npm']),
  programs: new Set(['tool', 'tap']),
  locked: new Set(['locked', '@scope/locked']),
};
// Commands are put together here, so that the check does not find them in this file.
const npx = ['np', 'x'].join('');
const npm = (rest: string) => ['npm', rest].join(' ');

t.test('a text that runs a package which is not ours is found in every place where it may be read', (t) => {
  for (const [path, line, found] of [
    ['control-plane/src/modules/pages/home.ts', `<code>${npx} tool http</code>`, /:1: .*somebody else's package/],
    ['control-plane/src/modules/pages/home.ts', `<code>${npx} --no tool http</code>`, /somebody else's package/],
    ['agent/src/cli.ts', `run ${npx} -y @scope/tool@1.2.3`, /somebody else's package/],
    ['agent/src/cli.ts', npm('exec -- tool'), /somebody else's package/],
    ['systemd/tool.service', `ExecStart=${npx} tool`, /somebody else's package/],
    ['README.md', `${npx} tool serve`, /use npx --no/],
    ['README.md', `${npx} --no unknown serve`, /the checkout does not have/],
    ['docs/operating.md', npm('install -g tool'), /neither publishes nor locks/],
    ['docs/operating.md', npm('i --global locked'), /neither publishes nor locks/],
    ['docs/operating.md', npm('install other'), /neither publishes nor locks/],
  ] as const) {
    t.match(findPackages(path, line, known), [found], `${path}: ${line}`);
  }
  t.end();
});

t.test('commands that fetch nothing foreign are left alone', (t) => {
  for (const [path, line] of [
    ['README.md', `${npx} --no tool serve &`],
    ['.taprc', `# \`${npx} --no tap build\` once`],
    ['README.md', npm('install')],
    ['README.md', npm('ci && npm run build')],
    ['agent/src/browser.ts', npm('install locked')],
    ['agent/src/browser.ts', npm('install @scope/locked')],
    ['control-plane/src/home.ts', `${npx} ours-on-npm`],
    ['control-plane/src/home.ts', 'a package that npm installed for this platform'],
  ] as const) {
    t.strictSame(findPackages(path, line, known), [], `${path}: ${line}`);
  }
  t.end();
});
