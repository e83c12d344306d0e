import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { checkPage, servePage } from '../../../test/_support/check-page.js';
import { noBrowser, OwnPages } from '../../../test/_support/page-processes.js';
import { ProbeFailure } from '../failure.js';

const options = { skip: noBrowser };
const pages = new OwnPages(t);

t.test('a page that never ends, ends by its time-out or its abort, and leaves no process', options, async (t) => {
  const endless = await servePage(t, '<p>hello</p><script>for (;;);</script>');
  let slow = await checkPage(endless.url, { timeout_ms: 9000 });
  // on a busy machine Chromium may take longer to start
  if (slow.judgment.error?.code === 'internal') slow = await checkPage(endless.url, { timeout_ms: 60_000 });
  t.match(slow.judgment, { outcome: 'failed', error: { code: /timeout/ } });
  await pages.gone();
  const before = endless.requests.length;
  const abort = new AbortController();
  const running = checkPage(endless.url, {}, { signal: abort.signal });
  await until('the page is there', () => endless.requests.length > before);
  abort.abort(new ProbeFailure('cancelled', 'the end'));
  t.match((await running).result, { success: false, error: { code: 'cancelled' } });
  await pages.gone();
});

t.test('a page dies with the process that measures, however that ends', options, async (t) => {
  const endless = await servePage(t, '<script>for (;;);</script>');
  const script = fileURLToPath(new URL('../../../test/_support/load-page.js', import.meta.url));
  const measuring = spawn(process.execPath, [script, endless.url], { stdio: 'ignore' });
  await until('the page is there', () => endless.requests.length === 1);
  t.ok(pages.processes > 2);
  measuring.kill('SIGKILL');
  await pages.gone();
});
