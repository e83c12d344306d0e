import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Test } from 'tap';
import { createTestDatabase } from './database.js';
import { RealAgent } from './real-agent.js';
import { createAdminByCommand, type RealServer, startServer } from './real-server.js';
import { apiOf, SECRET_KEY, type TestApi } from './stack.js';
import { TcpProxy } from './tcp-proxy.js';
import { temporaryDirectory } from './temporary-directory.js';

// Two control planes behind one public URL, and four agents. The test decides where an agent is routed:
//
//   agent 127.0.1.1, 127.0.1.2 ──┐           ┌──> first ───┐
//                                ├─ balancer ┤             ├──> PostgreSQL
//   agent 127.0.1.3, 127.0.1.4 ──┘           └──> second ──┘

/** An agent whose links come from an address of its own. */
export interface LedAgent {
  readonly address: string;
  readonly agent: RealAgent;
}

/** The whole installation, each part a process of the real program. */
export interface ReplicaDuo {
  readonly balancer: TcpProxy;
  readonly servers: readonly [RealServer, RealServer];
  readonly apis: readonly [TestApi, TestApi];
  readonly agents: readonly LedAgent[];
}

/** Starts it; everything ends with the test. `settings`: of both control planes, in addition to the others. */
export async function startDuo(
  t: Test,
  agentEnvironment: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, string>> = {},
): Promise<ReplicaDuo> {
  const { url: databaseUrl } = await createTestDatabase(t);
  const balancer = await TcpProxy.start(t);
  const ports = [await lastingPort(), await lastingPort()] as const;
  const environmentOf = (port: number) => ({
    VANTAGE_DATABASE_URL: databaseUrl,
    VANTAGE_DATA_DIR: temporaryDirectory(t),
    VANTAGE_MAIL_DIR: temporaryDirectory(t),
    VANTAGE_SECRET_KEY: SECRET_KEY,
    VANTAGE_LISTEN: `127.0.0.1:${port}`,
    VANTAGE_PUBLIC_URL: balancer.url,
    VANTAGE_METRICS_LISTEN: 'off',
    VANTAGE_ALLOW_TARGETS: '127.0.0.0/8',
    ...settings,
  });
  const environment = environmentOf(ports[0]);
  const servers = await Promise.all([startServer(t, environment), startServer(t, environmentOf(ports[1]))]);
  const admin = await createAdminByCommand(balancer.url, environment);
  const at = (url: string) => apiOf(url, admin.token, admin.userId);
  const [first, second] = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string];
  balancer.forwardTo(second);
  const agents = await Promise.all(
    [1, 2, 3, 4].map(async (number) => {
      const declared = { country: 'DE', asn: 64_500 + number };
      const agent = await RealAgent.enroll(t, at(balancer.url), { name: `agent-${number}`, declared });
      const address = `127.0.1.${number}`;
      balancer.forwardFrom(address, number <= 2 ? first : second);
      await agent.run({ environment: { ...agentEnvironment, VANTAGE_AGENT_BIND: address } });
      return { address, agent };
    }),
  );
  return { balancer, servers, apis: [at(first), at(second)], agents };
}

/** Routes an agent to a control plane and waits for its link. */
export async function leadTo({ balancer }: ReplicaDuo, { address, agent }: LedAgent, url: string): Promise<void> {
  balancer.cutFrom(address);
  balancer.forwardFrom(address, url);
  await until(`a link from ${address}`, () => balancer.isOpenFrom(address));
  await agent.waitForStatus({ isConnected: true, rows: 0 });
}
