import t from 'tap';
import { findPackages } from './packages.js';

const known = { published: new Set(['ours-on-npm']), locked: new Set(['locked', '@scope/locked']) };
// Commands are put together here, so that the check does not find them in this file.
const npx = ['np', 'x'].join('');
const npm = (rest: string) => ['npm', rest].join(' ');

t.test('a text that runs or installs a package which is not ours is found, with its line', async (t) => {
  for (const line of [
    `<code>${npx} tool http</code>`,
    `run ${npx} -y @scope/tool@1.2.3`,
    `ExecStart=${npx} tool`,
    npm('exec -- tool'),
    npm('install -g tool'),
    npm('i --global locked'),
    npm('install other'),
  ])
    t.match(findPackages('README.md', `\n${line}`, known), [/^README\.md:2: .*somebody else's package/], line);
});

t.test('commands that fetch nothing foreign are left alone', async (t) => {
  for (const line of [
    `${npx} --no tool serve &`,
    `# \`${npx} --no tap build\` once`,
    npm('install'),
    npm('ci && npm run build'),
    npm('install locked'),
    npm('install @scope/locked'),
    `${npx} ours-on-npm`,
    'a package that npm installed for this platform',
  ])
    t.strictSame(findPackages('README.md', line, known), [], line);
});
