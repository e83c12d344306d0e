import { systemClock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { EVERYBODY } from '../authentication/index.js';
import type { Bus } from '../bus/bus.js';
import { MessageServerError } from '../bus/errors.js';
import { openBus } from '../bus/open-bus.js';
import type { Config } from '../config.js';
import { migrate } from '../db/migrate.js';
import { findIdentityKey } from '../links/index.js';
import { createLogger } from '../log.js';
import { openMail } from '../mail/index.js';
import { type AccountParts, openAccounts } from '../modules/accounts/index.js';
import { Audit } from '../modules/audit/index.js';
import { openHeartbeatActs } from '../modules/heartbeats/index.js';
import { type MonitorTransfer, openTransferAlone } from '../modules/monitors/index.js';
import { adminNodeView, anyRecord, EnrollmentTokens, NodeDirectory, Nodes, nodeReads } from '../modules/nodes/index.js';
import { Tokens } from '../modules/tokens/index.js';
import { loadSecretKey } from '../secret-key.js';
import { listenOrigin } from '../setting-values.js';
import { openStorage } from '../storage.js';
import { TargetLists } from '../target-lists.js';
import { releaseHoldings } from '../wiring/holdings.js';

/** The parts a command needs, on the running server's database or on one started for the command alone. */
export interface Office {
  readonly accounts: AccountParts['accounts'];
  readonly audit: Audit;
  readonly signingKeys: AccountParts['signingKeys'];
  readonly nodes: Nodes;
  readonly enrollmentTokens: EnrollmentTokens;
  readonly adminNodeView: typeof adminNodeView;
  readonly anyRecord: typeof anyRecord;
  readonly tokens: Tokens;
  /** With the nodes and the deny list as they are now. */
  readonly openTransfer: () => Promise<MonitorTransfer>;
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

/** Runs `work` with the modules over the configured database; servers hear at once of what it changes. */
export async function withOffice(config: Config, work: (office: Office) => Promise<void>): Promise<void> {
  const clock = systemClock;
  const log = createLogger('silent');
  const storage = await openStorage({ config, log, mode: 'join-or-start', poolSize: 4 });
  try {
    await migrate(storage.db, log);
    const bus = openBus({
      address: config.busUrl,
      databaseUrl: storage.url,
      // without an identity no server has ever run, and nobody listens
      identityKey: (await findIdentityKey(storage.db)) ?? Buffer.alloc(0),
      replicaId: newId(idPrefixes.replica),
      isListening: false,
      hasOthers: () => true,
      log,
      clock,
    });
    await bus.start().catch(goOnUnheard);
    try {
      await work(await openOffice(config, storage.db, bus, log));
    } finally {
      await bus.stop();
    }
  } finally {
    await storage.close();
  }

  async function openOffice(settings: Config, db: typeof storage.db, bus: Bus, logger: typeof log): Promise<Office> {
    const directory = new NodeDirectory({ nodes: nodeReads(db), bus, clock, log: logger });
    const publicUrl = settings.publicUrl ?? listenOrigin(settings.listen, 'http');
    const nodes = new Nodes({ db, directory });
    const enrollmentTokens = new EnrollmentTokens({ db, clock, plans: settings.plans });
    const authentication = { revoked: (userId: string) => bus.broadcast({ type: 'credentials', ids: [userId] }) };
    const tokens = new Tokens({ db, clock, authentication });
    const secretKey = await loadSecretKey(settings.secretKey, settings.dataDir);
    const { accounts, signingKeys } = openAccounts({
      ...authentication,
      keysChanged: () => bus.broadcast({ type: 'credentials', ids: [EVERYBODY] }),
      db,
      clock,
      log: logger,
      publicUrl,
      secretKey,
      isRegistrationOpen: false,
      needsVerifiedEmail: false,
      mail: openMail({ config: settings, secretKey, publicUrl, clock }).mail,
      releaseHoldings: releaseHoldings(nodes),
    });
    const audit = new Audit(db, clock);
    const openTransfer = async () => {
      const { allowTargets: allow, denyTargetsFile: denyFile, plans } = settings;
      const lists = new TargetLists({ allow, denyFile, clock, log: logger, onChange: () => {} });
      await lists.start();
      lists.stop();
      await directory.load();
      return openTransferAlone({
        db,
        clock,
        plans,
        policy: () => lists.policy,
        secretKey,
        heartbeats: openHeartbeatActs({ db, clock, publicUrl, secretKey }),
        bus,
        directory,
        log: logger,
      });
    };
    return { accounts, audit, signingKeys, nodes, enrollmentTokens, adminNodeView, anyRecord, tokens, openTransfer };
  }
}

/** Without its message server a command still does its work: servers find it when they read again. */
function goOnUnheard(error: unknown): void {
  if (!(error instanceof MessageServerError)) throw error;
  process.stderr.write(`vantage-control: ${error.message}; running servers notice within seconds\n`);
}
