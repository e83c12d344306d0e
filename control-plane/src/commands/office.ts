import { systemClock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { EVERYBODY } from '../authentication/index.js';
import type { Bus } from '../bus/bus.js';
import { MessageServerError } from '../bus/errors.js';
import { openBus } from '../bus/open-bus.js';
import type { Config } from '../config/config.js';
import { listenOrigin } from '../config/setting-values.js';
import { loadSecretKey } from '../crypto/secret-key.js';
import { migrate } from '../db/migrate.js';
import { openStorage } from '../db/storage.js';
import { createRegistry } from '../http/frame/metrics.js';
import type { Services } from '../http/route.js';
import { SharedWindows, WindowLimiter } from '../limits/index.js';
import { findIdentityKey } from '../links/index.js';
import { openMail } from '../mail/index.js';
import { NodeDirectory } from '../modules/nodes/index.js';
import { DEAD_AFTER_MS } from '../replicas/replica-lease.js';
import { findAllowTargets } from '../replicas/store.js';
import { createLogger } from '../runtime/log.js';
import { Metrics } from '../runtime/metrics.js';
import { printComplaint } from '../terminal/print.js';
import { broadcastPublished } from '../wiring/events.js';
import { wireHouse } from '../wiring/house.js';
import { mailTemplates, modules } from '../wiring/modules.js';
import { openModules } from '../wiring/open-modules.js';

/** Services of all modules for a command, on the running server's database or on one started for the command alone. */
export interface Office extends Services {
  /** With the nodes and the deny list as they are now. */
  readonly openTransfer: () => Promise<Services['monitors']['transfer']>;
  /** With the deny list as it is now. */
  readonly openAlerts: () => Promise<Services['alerts']>;
}

/** Brings the configured database to this version. @returns the migrations applied, by name */
export async function migrateConfigured(config: Config): Promise<string[]> {
  const log = createLogger('silent');
  const storage = await openStorage({ config, log, mode: 'join-or-start', poolSize: 2 });
  try {
    return await migrate(storage.db, log);
  } finally {
    await storage.close();
  }
}

/** Runs `work` with the modules over the configured database; servers are notified at once of its changes. */
export async function withOffice(config: Config, work: (office: Office) => Promise<void>): Promise<void> {
  const clock = systemClock;
  const log = createLogger('silent');
  const storage = await openStorage({ config, log, mode: 'join-or-start', poolSize: 4 });
  try {
    await migrate(storage.db, log);
    const secretKey = await loadSecretKey(config.secretKey, config.dataDir);
    // without an identity no server has ever run, so no replica listens
    const identityKey = (await findIdentityKey(storage.db)) ?? Buffer.alloc(0);
    const bus = openBus({
      address: config.busUrl,
      databaseUrl: storage.url,
      identityKey,
      secretKey,
      replicaId: newId(idPrefixes.replica),
      isListening: false,
      hasOthers: () => true,
      log,
      clock,
    });
    await bus.start().catch(goOnUnheard);
    try {
      // targets are judged as the running servers judge them
      const allowTargets = (await findAllowTargets(storage.db, DEAD_AFTER_MS)) ?? config.allowTargets;
      await work(await openOffice({ ...config, allowTargets }, secretKey, bus, identityKey.toString('base64')));
    } finally {
      await bus.stop();
    }
  } finally {
    await storage.close();
  }

  async function openOffice(settings: Config, secretKey: Buffer, bus: Bus, serverPublicKey: string): Promise<Office> {
    const { db } = storage;
    broadcastPublished(db, bus);
    const directory = NodeDirectory.open({ db, bus, clock, log });
    const publicUrl = settings.publicUrl ?? listenOrigin(settings.listen, settings.tlsCert === null ? 'http' : 'https');
    const registry = createRegistry();
    const metrics = new Metrics(registry);
    const { mail, mailer } = openMail({ config: settings, secretKey, publicUrl, clock, templates: mailTemplates });
    const windows = new SharedWindows({ db, hasOthers: () => true, clock, log, metrics });
    const house = wireHouse({
      // anyone who can run this command may create accounts
      config: { ...settings, isRegistrationOpen: false, needsVerifiedEmail: false },
      clock,
      log,
      db,
      agentsDb: db,
      publicUrl,
      secretKey,
      serverPublicKey,
      replicaId: newId(idPrefixes.replica),
      registry,
      metrics,
      bus,
      directory,
      limiter: new WindowLimiter(windows, clock),
      mail,
      mailer,
      authentication: {
        onChanged: () => {},
        examine: () => Promise.reject(new Error('a command has no streams')),
        revoked: (userId) => bus.broadcast({ type: 'credentials', ids: [userId] }),
        revokedAll: () => bus.broadcast({ type: 'credentials', ids: [EVERYBODY] }),
      },
    });
    const { services } = openModules(modules, house);
    const loadLists = async () => {
      await house.lists.start();
      house.lists.stop();
    };
    const openTransfer = async () => {
      await loadLists();
      await directory.load();
      return services.monitors.transfer;
    };
    const openAlerts = async () => {
      await loadLists();
      return services.alerts;
    };
    return { ...services, openTransfer, openAlerts };
  }
}

/** Without its message server a command still works: servers find it when they read again. */
function goOnUnheard(error: unknown): void {
  if (!(error instanceof MessageServerError)) throw error;
  printComplaint('vantage-control', `${error.message}; running servers notice the change within seconds`);
}
