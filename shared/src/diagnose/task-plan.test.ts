import fc from 'fast-check';
import t from 'tap';
import { TargetError } from '../target-policy/host.js';
import { sectionNames } from './finding-table.js';
import { parseDiagnoseTarget } from './target.js';
import { MAX_NODE_TASKS, planTasks } from './task-plan.js';

const target = parseDiagnoseTarget('example.com');

t.test('tasks leave in order, and a scope that is too wide says for how many nodes there is room', async (t) => {
  const plan = planTasks(target, new Set(sectionNames), 11);
  if (plan.isTooLong) throw new Error('too long');
  t.equal(plan.nodeTasks, 57);
  t.same(
    plan.tasks.map(({ kind }) => kind),
    ['dns', 'zone_audit', 'http', 'headers', 'ssl', 'ping', 'traceroute'],
  );
  t.same(planTasks(target, new Set(sectionNames), 12), { isTooLong: true, nodes: 11 });
  t.same(planTasks(target, new Set(sectionNames), 50), { isTooLong: true, nodes: 11 });
  t.match(planTasks(parseDiagnoseTarget('8.8.8.8'), new Set(['ssl', 'dns', 'ping']), 50), {
    tasks: [{ kind: 'ping' }],
    nodeTasks: 50,
  });
  t.same(planTasks(target, new Set(['ping']), 51), { isTooLong: true, nodes: 50 });
  const scopes = fc.subarray(sectionNames, { minLength: 1 });
  fc.assert(
    fc.property(scopes, fc.integer({ min: 1, max: 60 }), (scope, nodes) => {
      const planned = planTasks(target, new Set(scope), nodes);
      if (!planned.isTooLong) return planned.nodeTasks <= MAX_NODE_TASKS;
      const room = planTasks(target, new Set(scope), planned.nodes);
      return planned.nodes < nodes && !room.isTooLong && planTasks(target, new Set(scope), planned.nodes + 1).isTooLong;
    }),
  );
});

t.test('a target is a domain, a URL or an address', async (t) => {
  t.match(parseDiagnoseTarget('Bücher.DE'), { url: 'https://xn--bcher-kva.de/', plainUrl: 'http://xn--bcher-kva.de/' });
  t.match(parseDiagnoseTarget('https://example.com:8443/a#b'), {
    url: 'https://example.com:8443/a',
    plainUrl: null,
    tlsServer: 'example.com:8443',
  });
  t.match(parseDiagnoseTarget('http://example.com/'), { tlsServer: 'example.com', plainUrl: null });
  t.match(parseDiagnoseTarget('2606:4700::1'), { url: 'https://[2606:4700::1]/', host: { kind: 'address' } });
  for (const text of ['', 'localhost', 'ftp://example.com', 'a b', 'https://u@example.com'])
    t.throws(() => parseDiagnoseTarget(text), TargetError, text);
});
