import t from 'tap';
import { createTestDatabase } from './_support/database.js';
import { startServer } from './_support/real-server.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const settings = { VANTAGE_LISTEN: '127.0.0.1:0', VANTAGE_METRICS_LISTEN: 'off' };

t.test('SIGTERM ends a control plane whose tables are locked by another session', async (t) => {
  const { url, db } = await createTestDatabase(t);
  const environment = { ...settings, VANTAGE_DATABASE_URL: url, VANTAGE_DATA_DIR: temporaryDirectory(t) };
  const { program } = await startServer(t, environment);
  await db.transaction(async (trx) => {
    await trx.raw('LOCK TABLE replicas IN ACCESS EXCLUSIVE MODE');
    const { code, signal, stdout } = await program.terminate();
    t.match({ code, signal }, { code: 0, signal: null });
    t.match(stdout, /"msg":"stopped without waiting any longer for the database"/);
  });
});
