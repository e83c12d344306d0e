import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startLab } from '../../lab/lab.js';
import { serviceAddresses } from '../../lab/topology.js';
import { BenchError } from '../bench-error.js';
import type { LinkComparison, LinkRow } from '../link/comparison.js';
import { figureOf, figureText } from '../statistics.js';
import type { ReportTimes } from './report-process.js';

const PROCESS = fileURLToPath(new URL('./report-process.js', import.meta.url));
const TARGET = 'https://www.lab.test/';
/** Delay of each direction of the link. */
const DELAY_MS = 10;

/** Reports of diagnose about a site of the lab. */
export const report: LinkComparison = {
  name: 'report',
  title: 'reports about a site',
  question: 'How soon does a report from three nodes have its first section, and all? Needs root: it creates a lab.',
  method: ({ rounds }) =>
    `control plane and three agents on one machine of the lab, the site behind a link of ${DELAY_MS} ms each way; ${rounds} reports with all sections about ${TARGET}, after one that is not counted; from the request to the event of the section`,
  async run({ rounds }) {
    const lab = await startLab({ servers: ['dns', 'web'] });
    try {
      await lab.setLink(2, 'both', { delayMs: DELAY_MS });
      const [resolver, root] = [serviceAddresses('resolver').v4, serviceAddresses('root').v4];
      const child = lab.spawn('agent', [process.execPath, PROCESS, TARGET, resolver, root, String(rounds)], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      const ended = once(child, 'exit').then(([code]) => {
        throw new BenchError(`the process that asks for reports ended with ${code}`);
      });
      const [times] = (await Promise.race([once(child, 'message'), ended])) as [ReportTimes[]];
      await ended.catch(() => {});
      return [
        row(
          'first section, ms',
          times.map(({ firstMs }) => firstMs),
          'at most 1 000',
        ),
        row(
          'all sections, ms',
          times.map(({ allMs }) => allMs),
          'at most 12 000',
        ),
      ];
    } finally {
      await lab.stop();
    }
  },
};

function row(what: string, times: readonly number[], goal: string): LinkRow {
  return { what, ours: figureText(figureOf(times), 0), baseline: '', ratio: '', goal };
}
