import { chmodSync } from 'node:fs';
import t from 'tap';

interface Environment {
  nodeComplaint(version: string): string | null;
  compilerComplaint(env: NodeJS.ProcessEnv): string | null;
  installEnvironment(env: NodeJS.ProcessEnv, cache: string, prefix: string | null): NodeJS.ProcessEnv;
  headersPrefix(execPath: string): string | null;
}
const { nodeComplaint, compilerComplaint, installEnvironment, headersPrefix }: Environment = await import(
  new URL('../../setup/environment.mjs', import.meta.url).href
);

t.test('Node from 20.20 up to 25 will do, any other is refused in one line', async (t) => {
  for (const version of ['20.20.0', '20.21.3', '22.0.0', '24.21.0']) t.equal(nodeComplaint(version), null, version);
  for (const version of ['18.20.4', '20.19.9', '25.0.0', '26.1.0']) {
    t.match(nodeComplaint(version), new RegExp(`^Node ${version} will not do: install .*$`), version);
  }
});

t.test('what a native build lacks is named, with the packages that bring it', async (t) => {
  const programs = (...names: string[]) => {
    const folder = t.testdir(Object.fromEntries(names.map((name) => [name, ''])));
    for (const name of names) chmodSync(`${folder}/${name}`, 0o755);
    return { PATH: `/nonexistent:${folder}` };
  };
  t.equal(compilerComplaint(programs('python3', 'make', 'g++')), null);
  t.equal(compilerComplaint(programs('python3', 'make', 'c++')), null);
  t.equal(compilerComplaint({ ...programs('python3', 'make'), CXX: 'clang++' }), null);
  t.match(compilerComplaint(programs('make', 'g++')), /^missing python3:.*apt-get install -y python3 make g\+\+$/);
  t.match(compilerComplaint(programs('python3')), /^missing make, a C\+\+ compiler:/);
  t.match(compilerComplaint({}), /^missing python3, make, a C\+\+ compiler:/);
});

t.test('npm works without a home directory and compiles against the running Node', async (t) => {
  const home = t.testdir();
  const withHome = installEnvironment({ HOME: home }, '/cache', '/opt/node');
  t.equal(withHome.npm_config_cache, undefined);
  t.equal(withHome.npm_config_nodedir, '/opt/node');
  for (const HOME of [undefined, '', '/nonexistent', '/dev/null']) {
    const env = installEnvironment({ HOME }, '/cache', null);
    t.equal(env.npm_config_cache, '/cache/npm', String(HOME));
    t.notOk('npm_config_nodedir' in env);
  }
});

t.test('headers count only if they are installed with the running Node', async (t) => {
  const folder = t.testdir({
    bin: { node: '' },
    include: { node: { 'node_version.h': '' } },
    other: { bin: { node: '' } },
  });
  t.equal(headersPrefix(`${folder}/bin/node`), folder);
  t.equal(headersPrefix(`${folder}/other/bin/node`), null);
});
