import t from 'tap';
import { findLogMessages, type LogLevels } from './log-lines.js';

const find = (text: string, levels: LogLevels = 'warnings') =>
  findLogMessages({ path: 'agent/src/a.ts', text }, levels);

t.test('messages are found behind fields, over several lines, without fields, and by every logger', async (t) => {
  t.strictSame(find("this.#log.error({ a: f(1, 'x') }, 'it\\'s one');"), ["it's one"]);
  t.strictSame(find("log.warn(\n  { a, b: [1, 2] },\n  'two',\n);"), ['two']);
  t.strictSame(find("options.log.fatal('three');\n// log.warn('not this')"), ['three']);
  t.strictSame(find("log.warn('a, (b)'); log.info('c');"), ['a, (b)']);
  t.strictSame(find("log.warn('a'); log.info({ b }, 'c');", 'infos'), ['c']);
});

t.test('a level by name counts as a warning, a choice and a table give all their messages', async (t) => {
  t.strictSame(find("log[levelOf(line)]({ line }, 'said')"), ['said']);
  t.strictSame(find("log.warn(a ? 'b' : 'c')"), ['b', 'c']);
  const table = "const advice: Partial<Record<Kind, string>> = {\n  x: 'do x',\n  y: 'do y',\n};";
  t.strictSame(find(`log.error(fields, advice[kind] ?? 'closed');\n${table}`), ['closed', 'do x', 'do y']);
});

t.test('the failure of background work is found, in its call alone', async (t) => {
  const call = "background({\n  name: 'a',\n  look: () => f('b'),\n  failing: 'cannot c, retrying',\n  log,\n});";
  t.strictSame(find(call), ['cannot c, retrying']);
  t.strictSame(find('export function background(work: Work) {\n  log.warn({ err }, failing);\n}'), []);
  t.throws(() => find("background({ name: 'a', failing })"), /a\.ts:1: /);
});

t.test('a message that is built when it is logged is refused, with its place', async (t) => {
  t.throws(() => find('a();\nlog.warn(warning);'), /a\.ts:2: /);
  t.throws(() => find(`log.warn(\`lost \${count} rows\`);`), /a\.ts:1: /);
});
