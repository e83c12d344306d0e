import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { demand } from '@vantage/shared/_support/missing.js';
import type { Lab } from '../lab.js';
import { directoryOf } from '../records.js';
import { serviceAddresses } from '../topology.js';

/** Zonemaster on the lab's `agent`, from the lab's root. */
export interface Zonemaster {
  /** Tags of its messages about a zone from these test cases (`delegation/delegation01`), INFO and above. */
  tags(zone: string, cases: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Prepares Debian's zonemaster-cli for the lab. */
export function zonemasterIn(lab: Lab): Zonemaster {
  demand('zonemaster-cli');
  const hints = join(directoryOf(lab.name), 'zonemaster.hints');
  writeFileSync(hints, `. NS a.root.\na.root. A ${serviceAddresses('root').v4}\n`);
  return {
    async tags(zone, cases) {
      const options = [
        '--hints',
        hints,
        '--raw',
        '--no-ipv6',
        '--level=INFO',
        ...cases.map((name) => `--test=${name}`),
      ];
      const output = await lab.exec('agent', 'zonemaster-cli', ...options, zone);
      return new Set(output.split('\n').flatMap((line) => /^ *\d+\.\d+ [A-Z]+ +([A-Z0-9_]+)/.exec(line)?.[1] ?? []));
    },
  };
}
