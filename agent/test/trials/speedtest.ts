import { systemClock } from '@vantage/shared/clock.js';
import { startSpeedtestServer } from '../../src/net/speedtest-server.js';
import { startDeafServer } from '../_support/deaf-server.js';
import { aSpec } from '../_support/probe-context.js';
import type { ProbeTrial } from '../_support/probe-trial.js';

/** How type `speedtest` is tried: docs/adding-a-probe-type.md. */
export const trial: ProbeTrial<'speedtest'> = {
  answered: async (t) => {
    const server = await startSpeedtestServer('127.0.0.1', 0, systemClock);
    t.teardown(() => server.stop());
    return aSpec('speedtest', `http://127.0.0.1:${server.address.port}/speedtest`, { bytes: 100_000 });
  },
  silent: async (t) => aSpec('speedtest', `http://127.0.0.1:${await startDeafServer(t)}/speedtest`),
  report: async (t) => {
    const server = await startSpeedtestServer('127.0.0.1', 0, systemClock);
    t.teardown(() => server.stop());
    return {
      target: `http://127.0.0.1:${server.address.port}/speedtest`,
      params: ['bytes=100000'],
      lines: [
        /^ {2}latency +[\d.]+ ms, jitter [\d.]+ ms$/,
        /^ {2}download +([\d.]+ [MG]bit\/s|-), 0\.1 MB in [\d.]+ s, latency during it /,
        /^ {2}upload +([\d.]+ [MG]bit\/s|-), 0\.1 MB in /,
      ],
    };
  },
};
