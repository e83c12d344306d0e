import t from 'tap';
import { parsePackages, withDependencies } from './debian-packages.js';

const text = `installed\tbase-files\tyes\trequired\tawk, \t
installed\tmawk\tno\trequired\t, libc6 (>= 2.36)\tawk
installed\tgawk\tno\toptional\t, libc6:any, libgmp\tawk
installed\tlibc6\tno\toptional\t, libgcc\t
installed\tlibgcc\tno\toptional\t, libc6 (= 1)\t
config-files\tlibgone\tno\toptional\t, \t
installed\tpostfix\tno\toptional\t, libc6\tmail-transport-agent, default-mta
installed\tcron\tno\toptional\t, libgone | exim4 | default-mta | libgcc, nowhere\t
`;
const packages = parsePackages(text);

t.test('installed packages are read with their dependencies, alternatives and what they stand for', async (t) => {
  t.strictSame(
    packages.map(({ name }) => name),
    ['base-files', 'mawk', 'gawk', 'libc6', 'libgcc', 'postfix', 'cron'],
  );
  t.strictSame(
    packages.filter(({ isOnEveryDebian }) => isOnEveryDebian).map(({ name }) => name),
    ['base-files', 'mawk'],
  );
  t.match(packages.at(-1), { dependencies: [['libgone', 'exim4', 'default-mta', 'libgcc'], ['nowhere']] });
  t.match(packages[2], { dependencies: [['libc6'], ['libgmp']], provides: ['awk'] });
});

t.test('a package brings all that it depends on, of alternatives the first that exists', async (t) => {
  t.strictSame(withDependencies(packages, ['base-files']), ['base-files', 'libc6', 'libgcc', 'mawk']);
  t.strictSame(withDependencies(packages, ['cron']), ['cron', 'libc6', 'libgcc', 'postfix']);
  t.strictSame(withDependencies(packages, ['nowhere']), []);
});
