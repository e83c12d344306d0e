import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@vantage/shared/_support/until.js';
import type { Test } from 'tap';
import { startControlPlane } from '../../src/control-plane.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { collectLog } from './log-lines.js';
import { patientClock } from './patient-clock.js';
import { RealAgent } from './real-agent.js';
import { type ApiAnswer, createAdmin, PATIENCE, replicaConfig, type TestApi } from './stack.js';
import { type FindRecords, recordData, startZoneServer, type ZoneRecord } from './zone-server.js';

// Addresses of this process alone, so that fixed ports meet no other run of the tests.
const own = `${(process.pid >> 8) & 255}.${process.pid & 255}`;

/** Addresses of sites: the agent may connect to `public` and `second`, and not to `inside`. */
export const hosts = { public: `127.77.${own}`, second: `127.78.${own}`, inside: `127.79.${own}` } as const;

/** A control plane, and a real agent that resolves names at a server of the test. */
export interface LookingAgent {
  readonly api: TestApi;
  readonly database: TestDatabase;
  /** Asks as a stranger; again, if the name server of the test did not respond in time. */
  look(kind: string, q: string, more?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  /** Log of the agent and of the control plane so far. */
  logs(): string;
}

/** Starts both. Names that `find` does not know have the address `hosts.public`. */
export async function startLookingAgent(
  t: Test,
  find: FindRecords = () => null,
  environment: Readonly<Record<string, string>> = {},
): Promise<LookingAgent> {
  // the control plane knows no exception: what it lets through, it lets through for anybody
  const database = await createTestDatabase(t);
  const config = replicaConfig(t, database.url, { VANTAGE_ALLOW_TARGETS: '' });
  const { log, lines } = collectLog();
  const controlPlane = await startControlPlane({
    config,
    clock: patientClock,
    log,
    isStrict: true,
    patience: PATIENCE,
  });
  t.teardown(() => controlPlane.stop());
  const api = await createAdmin(controlPlane);
  const agent = await RealAgent.enroll(t, api, { declared: { country: 'DE', asn: 3320 } });
  const server = await startZoneServer(t, (name, type) => find(name, type) ?? usualRecords(name, type));
  await agent.run({
    environment: {
      VANTAGE_ALLOW_TARGETS: `127.0.0.1/32,${hosts.public}/32,${hosts.second}/32`,
      VANTAGE_DNS_SERVERS: server,
      ...environment,
    },
  });
  return {
    api,
    database,
    look: async (kind, q, more = {}) => {
      const ask = () => api.call('GET', `/v1/info/${kind}?${new URLSearchParams({ q, ...more })}`, { as: null });
      let answer = await ask();
      await until(`the records of ${q}`, async () => {
        if (!isWithoutRecords(answer)) return true;
        // the answer is kept for a minute
        await pause(5_000);
        answer = await ask();
        return false;
      });
      return answer;
    },
    logs: () => `${agent.program.stderr}\n${JSON.stringify(lines)}`,
  };
}

export function addressRecord(name: string, host: keyof typeof hosts): ZoneRecord {
  return { name, type: 'A', data: recordData.address(hosts[host]) };
}

/** True if this process was too busy to be a name server: an agent waits a few seconds for it. */
function isWithoutRecords({ body }: ApiAnswer): boolean {
  return JSON.stringify(body).includes('"dns_timeout"');
}

function usualRecords(name: string, type: string | null): readonly ZoneRecord[] {
  return type === 'A' ? [addressRecord(name, 'public')] : [];
}
