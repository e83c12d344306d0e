import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { keepEvents, monitorEvents } from './_support/kept-events.js';
import { RealAgent } from './_support/real-agent.js';
import { KEY, secrets, TOKEN } from './_support/secret-monitor.js';
import { startStack } from './_support/stack.js';

t.test(
  'a real agent checks a target that breaks and recovers, and its owner gets an event and two mails',
  async (t) => {
    const { api, database } = await startStack(t);
    await keepEvents(database.db);
    await RealAgent.start(t, api);
    let isBroken = false;
    const received = new Set<string>();
    const target = createServer(({ headers }, response) => {
      received.add(`${headers.authorization} ${headers['x-api-key']}`);
      response.writeHead(isBroken ? 503 : 200).end('hello');
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    t.teardown(() => target.close());
    const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
    const rules = { interval_s: 10, trigger_rule: { consecutive_fail: 1 }, config: { ...secrets, timeout_ms: 30_000 } };
    const body = { name: 'Shop', type: 'http', target: url, ...rules };
    const made = await api.call('POST', '/v1/monitors', { body });
    t.equal(made.status, 201, JSON.stringify(made.body));
    const { id } = made.body.data;
    const read = async () => (await api.call('GET', `/v1/monitors/${id}`)).body.data;
    await until('up', async () => (await read()).current_status === 'up');
    t.match(await read(), { uptime_percent: 100, last_check_at: String });
    t.same([...received], [`Bearer ${TOKEN} ${KEY}`], 'its secrets reach the target');
    const asked = (await api.call('POST', `/v1/monitors/${id}/test?wait=30`)).body.data;
    t.match(asked, { checks: [{ success: true, status_code: 200 }], waiting_nodes: [] });
    isBroken = true;
    await until('down', async () => (await read()).current_status === 'down');
    isBroken = false;
    await until('up again', async () => (await read()).current_status === 'up');
    // a busy machine may also miss a check, which is an event too
    const { items } = (await api.call('GET', `/v1/monitors/${id}/events`)).body.data;
    const outage = items.find(({ reason }: { reason: string }) => /503/.test(reason));
    t.match(outage, { type: 'down', ended_at: String });
    const checks = (await api.call('GET', `/v1/monitors/${id}/checks`)).body.data;
    t.match(checks.at(-1), { success: true, status_code: 200, response_ms: Number });
    t.match(
      checks.find(({ status_code }: { status_code: number }) => status_code === 503),
      { success: false, error_code: 'assertion_failed' },
    );
    await api.call('POST', `/v1/monitors/${id}/pause`);
    t.equal((await api.call('POST', `/v1/monitors/${id}/test`)).body.error.code, 'MONITOR_PAUSED');
    const kinds: string[] = await monitorEvents(database.db).pluck('kind');
    t.equal(kinds.pop(), 'monitor.paused');
    t.ok(kinds.length >= 2, 'the outage and its end');
    for (const [index, kind] of kinds.entries()) t.equal(kind, index % 2 === 0 ? 'monitor.down' : 'monitor.up');
  },
);
