import { demand } from '@vantage/shared/_support/missing.js';
import { zonemasterIn } from '../../lab/_support/zonemaster.js';
import { auditZone } from '../../lab/finding-cases/names.js';
import { startLab } from '../../lab/lab.js';
import { startProber } from '../../lab/prober.js';
import { soundZone } from '../../lab/servers/dns/faulty-zones.js';
import { serviceAddresses } from '../../lab/topology.js';
import { BenchError } from '../bench-error.js';
import type { LinkComparison } from '../link/comparison.js';
import { figureOf, figureText, msOf } from '../statistics.js';

/** Delay of each direction of the link. */
const DELAY_MS = 10;

/** The audit of a zone beside zonemaster. */
export const zoneAudit: LinkComparison = {
  name: 'zone-audit',
  title: 'audit of a zone, beside zonemaster',
  question: 'Does the audit of a zone take at most half the time of zonemaster? Needs root: it creates a lab.',
  method: ({ rounds }) =>
    `the zone ${soundZone.origin} of the lab without a fault, from the lab's root, behind a link of ${DELAY_MS} ms each way; ${rounds} rounds in turns, after one audit that is not counted; zonemaster-cli of Debian 12 is a process for each zone, with all of its tests and over IPv4 only, where the audit is made by a process that runs and also over IPv6`,
  async run({ rounds }) {
    demand('zonemaster-cli');
    const lab = await startLab({ servers: ['dns', 'hostile'] });
    try {
      await lab.setLink(2, 'both', { delayMs: DELAY_MS });
      const zonemaster = zonemasterIn(lab);
      const prober = await startProber(lab, { rootHints: [serviceAddresses('root').v4] });
      const audit = async () => {
        const { error } = await auditZone(prober, soundZone.origin);
        if (error !== null) throw new BenchError(`the audit failed: ${error.message}`);
      };
      await audit();
      const [ours, theirs]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round += 1) {
        ours.push(await msOf(audit));
        theirs.push(await msOf(() => zonemaster.tags(soundZone.origin, [])));
      }
      const [audits, zonemasters] = [figureOf(ours), figureOf(theirs)];
      return [
        {
          what: 'audit of a zone, ms',
          ours: figureText(audits, 0),
          baseline: `zonemaster-cli: ${figureText(zonemasters, 0)}`,
          ratio: (audits.median / zonemasters.median).toFixed(2),
          goal: 'at most 0.5',
        },
      ];
    } finally {
      await lab.stop();
    }
  },
};
