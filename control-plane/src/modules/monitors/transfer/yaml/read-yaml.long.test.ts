import t from 'tap';
import { mainThreadMs } from '../../../../../test/_support/longest-turn.js';
import { readYaml } from './read-yaml.js';

t.test('the time that YAML takes grows as its size, whatever is in it', async (t) => {
  const lines = (count: number, of: (i: number) => string) => Array.from({ length: count }, (_, i) => of(i)).join('');
  const many = { depth: 32, values: 1_000_000, texts: 10_000_000, anchors: 100_000 };
  const timeOf = (text: string) => {
    const before = mainThreadMs();
    readYaml(text, many);
    return mainThreadMs() - before;
  };
  const cases: Record<string, (count: number) => string> = {
    keys: (count) => lines(count, (i) => `k${i}: 1\n`),
    aliases: (count) => lines(count, (i) => `a${i}: &x${i} 1\nb${i}: *x${i}\n`),
    merges: (count) => `a: &a {x: 1}\nb:\n${lines(count, () => '- {<<: *a}\n')}`,
  };
  for (const [what, make] of Object.entries(cases)) {
    const [short, long] = [make(5_000), make(20_000)];
    timeOf(short);
    const growth = timeOf(long) / timeOf(short);
    // sixteen times as long where each is compared with all others
    t.comment(`${what}: ${growth.toFixed(1)} times as long for four times as much`);
    t.ok(growth < 10, what);
  }
});
