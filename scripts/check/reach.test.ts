import t from 'tap';
import { judgeReach, type ReachRule, reachRules } from './reach.js';

/** `a: b, type c`: a file and what it imports. */
function filesOf(...lines: readonly string[]) {
  return lines.map((line) => {
    const [path = '', imported = ''] = line.split(': ');
    const imports = imported.split(', ').filter((name) => name !== '');
    const text = imports.map((name) => {
      const [kind, target] = name.startsWith('type ') ? ['import type', name.slice(5)] : ['import', name];
      return `${kind} { x } from '${'../'.repeat(path.split('/').length - 1) || './'}${target}.js';\n`;
    });
    return { path: `${path}.ts`, text: text.join('') };
  });
}

const rule: ReachRule = { name: 'apart', says: 'never', from: /^links\//, to: /^http\//, by: 'knows' };

t.test('a way that a rule forbids is found however long it is, and not through code of tests', async (t) => {
  const files = filesOf('links/a: audit', 'audit: type cursor', 'cursor: http/x', 'http/x: ', 'links/a.test: http/x');
  t.strictSame(judgeReach(files, [rule]), ['links/a.ts: never: links/a.ts > audit.ts > cursor.ts > http/x.ts (apart)']);
  t.strictSame(judgeReach(files, [{ ...rule, by: 'runs' }]), [], 'a type is not there when the program runs');
});

t.test('every rule of the project finds its breach, two imports away', async (t) => {
  const breaches: Readonly<Record<string, readonly [string, string]>> = {
    'links-never-reach-http': ['control-plane/src/ingest/a', 'control-plane/src/http/errors'],
    'storage-is-below': ['control-plane/src/db/a', 'control-plane/src/links/index'],
    'modules-are-above': ['control-plane/src/plans/a', 'control-plane/src/modules/nodes/index'],
    'nothing-measures-here': ['agent/src/link/a', 'agent/src/net/icmp'],
    'checkers-stand-apart': ['scripts/invariants/a', 'agent/src/agent'],
  };
  t.strictSame(
    Object.keys(breaches),
    reachRules.map(({ name }) => name),
  );
  for (const [name, [from, to]] of Object.entries(breaches)) {
    const files = filesOf(`${from}: shared/src/between`, `shared/src/between: ${to}`, `${to}: `);
    t.match(judgeReach(files, reachRules), [new RegExp(`\\(${name}\\)$`)], name);
  }
});
