// alone: the service of esbuild lives as long as its process
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';

interface Build {
  build(root: string, say: (line: string) => void): Promise<boolean>;
  sourceKey(root: string): string;
}
const project = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const { build, sourceKey }: Build = await import(new URL('../../setup/build.mjs', import.meta.url).href);

const { programs }: { programs: Record<string, Record<string, string>> } = await import(
  new URL('../../setup/bundle.mjs', import.meta.url).href
);

const tsconfig = JSON.stringify({
  extends: '../tsconfig.base.json',
  compilerOptions: { rootDir: '.', outDir: 'dist', tsBuildInfoFile: 'dist/.tsbuildinfo' },
  include: ['src/**/*.ts'],
});
interface Folder {
  readonly [name: string]: string | Folder;
}
const onePackage = (name: string, more: Folder = {}) => ({
  'tsconfig.json': tsconfig,
  src: { [`${name}.ts`]: `export const name = '${name}';\n`, ...more },
});
/** A small checkout of this shape, with the real compiler and generator. */
function checkout(t: Test): string {
  const root = t.testdir({
    'package-lock.json': '{}',
    shared: onePackage('shared'),
    agent: onePackage('agent', {
      'cli.ts': `import { name } from './agent.js';\nconsole.log(name);\n`,
    }),
    'control-plane': {
      ...onePackage('control', {
        client: { 'file.ts': 'export {};\n' },
        http: { pages: { 'page-style.ts': `export const consoleColours = ':root {}';\n` } },
      }),
      console: {
        'tsconfig.json': tsconfig.replace('../tsconfig', '../../tsconfig').replace('src/**/*.ts', '*.tsx'),
        'index.html': '<link href="style.css"><script type="module" src="main.js"></script>',
        'main.tsx': `export const title = 'console';\n`,
        'style.css': 'p { margin: 0; }\n',
      },
    },
    scripts: onePackage('scripts'),
  });
  const map = ['land', 'country-points', 'projection'].map((name) => `control-plane/src/modules/pages/map/${name}.ts`);
  for (const path of [...map, 'proto', 'tsconfig.json', 'tsconfig.base.json', 'scripts/generate-protocol.mjs']) {
    cpSync(join(project, path), join(root, path), { recursive: true });
  }
  for (const [name, entries] of Object.entries(programs)) {
    for (const entry of Object.values(entries)) {
      const path = join(root, name, 'src', `${entry}.ts`);
      mkdirSync(dirname(path), { recursive: true });
      if (!existsSync(path)) writeFileSync(path, 'export {};\n');
    }
  }
  symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'));
  return root;
}

t.test('a build compiles and generates once, and again only when a source changed', async (t) => {
  const root = checkout(t);
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  const isBuilt = await build(root, say);
  t.equal(isBuilt, true, said.join());
  t.ok(existsSync(join(root, 'agent/dist/src/agent.js')));
  t.ok(existsSync(join(root, 'shared/generated/link.js')));
  const page = readFileSync(join(root, 'control-plane/dist/program/console/index.html'), 'utf8');
  const [script = ''] = /\/assets\/main-\w+\.js/.exec(page) ?? [];
  t.ok(existsSync(join(root, `control-plane/dist/program/console${script}.br`)), 'the console has its files');
  said.length = 0;
  t.equal(await build(root, say), true);
  t.strictSame(said, [], 'nothing changed, nothing done');

  writeFileSync(join(root, 'agent/src/agent.ts'), 'export const name = 5;\n');
  t.equal(await build(root, say), true);
  t.match(readFileSync(join(root, 'agent/dist/src/agent.js'), 'utf8'), 'name = 5');
  t.match(readFileSync(join(root, 'agent/dist/program/vantage-agent.js'), 'utf8'), 'name = 5', 'the program, too');
  t.match(said, [/^set-up: built/], 'the protocol is not generated anew');

  rmSync(join(root, 'agent/dist'), { recursive: true });
  t.equal(await build(root, say), true);
  t.ok(existsSync(join(root, 'agent/dist/src/agent.js')), 'a deleted dist is built anew');

  writeFileSync(join(root, 'agent/src/gone.test.ts'), 'export {};\n');
  t.equal(await build(root, say), true);
  t.ok(existsSync(join(root, 'agent/dist/src/gone.test.js')));
  rmSync(join(root, 'agent/src/gone.test.ts'));
  t.equal(await build(root, say), true);
  t.notOk(existsSync(join(root, 'agent/dist/src/gone.test.js')), 'a deleted test does not run on');
  t.notOk(existsSync(join(root, 'agent/dist/src/gone.test.d.ts.map')));

  writeFileSync(join(root, 'agent/src/agent.ts'), `export const name: number = 'text';\n`);
  said.length = 0;
  t.equal(await build(root, say), false);
  t.match(said.join('\n'), /agent\/src\/agent\.ts.*TS2322[^]*do not compile/);
  t.equal(await build(root, say), false, 'and the complaint stays until it is mended');
});

t.test('the key of the sources changes with a file, not with what is derived from it', async (t) => {
  const root = checkout(t);
  const key = sourceKey(root);
  t.equal(sourceKey(root), key);
  writeFileSync(join(root, 'agent/src/new.ts'), '');
  const withNew = sourceKey(root);
  t.not(withNew, key);
  utimesSync(join(root, 'agent/src/new.ts'), 1, 1);
  t.not(sourceKey(root), withNew);
  rmSync(join(root, 'agent/src/new.ts'));
  t.equal(sourceKey(root), key);
  cpSync(join(root, 'agent/src'), join(root, 'agent/dist'), { recursive: true });
  t.equal(sourceKey(root), key);
});
