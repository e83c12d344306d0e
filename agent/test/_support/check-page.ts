import { systemClock } from '@vantage/shared/clock.js';
import { type MonitorConfigs, monitorTypes } from '@vantage/shared/monitor-types/index.js';
import { measurements } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import type { Test } from 'tap';
import { defaultChromiumWish } from '../../src/probes/browser/chromium.js';
import { BrowserEngine } from '../../src/probes/browser/index.js';
import type { ProbeContext } from '../../src/probes/engine.js';
import { startHttpServer } from './http-server.js';
import { aContext } from './probe-context.js';

const engine = new BrowserEngine(defaultChromiumWish);
const isResult = compileSchema(measurements.browser.Result);

/** Settings of a browser monitor, defaults filled in. */
export function aPageConfig(more: object = {}): MonitorConfigs['browser'] {
  const checked = compileSchema(monitorTypes.browser.Config)({ ...more });
  if (!checked.ok) throw new Error(JSON.stringify(checked.details));
  return checked.value;
}

/** One check of a browser monitor, with the real browser and in its time: its result, valid by its schema, and what that means. */
export async function checkPage(url: string, config: object = {}, parts: Partial<ProbeContext> = {}) {
  const settings = aPageConfig(config);
  const result = await engine.run(
    monitorTypes.browser.toSpec(url, settings),
    aContext({ clock: systemClock, ...parts }),
  );
  const checked = isResult(structuredClone(result));
  if (!checked.ok) throw new Error(JSON.stringify(checked.details));
  return { result, judgment: monitorTypes.browser.judge(result, settings) };
}

/** Serves a page at `/`, and nothing else. */
export async function servePage(t: Test, html: string, status = 200) {
  const server = await startHttpServer(t, (seen, response) => {
    response.writeHead(seen.path === '/' ? status : 404, { 'content-type': 'text/html; charset=utf-8' });
    response.end(seen.path === '/' ? html : '');
  });
  return { url: `http://127.0.0.1:${server.port}/`, requests: server.requests };
}
