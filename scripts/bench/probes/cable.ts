import type { Lab } from '../../lab/lab.js';
import { namespaceOf } from '../../lab/namespaces.js';

/** Answer as one machine: `far`, behind the cable. */
export const cableTargets: readonly string[] = Array.from({ length: 200 }, (_, i) => `25.80.21.${i + 1}`);

/**
 * A cable from `agent` to `far` beside the lab's links: those are a program, which copies frames more slowly than either
 * side of a flood sends them.
 */
export async function layCable(lab: Lab): Promise<void> {
  const ip = (host: 'agent' | 'far', command: string) => lab.exec(host, 'ip', ...command.split(' '));
  const far = namespaceOf(lab.name, 'far');
  await ip('agent', `link add cable type veth peer name cable netns ${far}`);
  await ip('agent', 'address add 25.80.20.1/30 dev cable');
  await ip('far', 'address add 25.80.20.2/30 dev cable');
  await ip('far', 'link set cable up');
  await ip('agent', 'link set cable up');
  await ip('agent', 'route add 25.80.21.0/24 via 25.80.20.2');
  await ip('far', 'route add local 25.80.21.0/24 dev lo');
}
