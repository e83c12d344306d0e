import type { Services } from '../http/route.js';
import type { MailTemplates } from '../mail/index.js';
import { sendMail } from '../mail/send-mail.js';
import { accountsModule } from '../modules/accounts/module.js';
import { alertsModule } from '../modules/alerts/module.js';
import { auditModule } from '../modules/audit/module.js';
import { consoleModule } from '../modules/console/module.js';
import { diagnoseModule } from '../modules/diagnose/module.js';
import { domainComboModule } from '../modules/domain-combo/module.js';
import { eventsModule } from '../modules/events/module.js';
import { jobsModule } from '../modules/jobs/module.js';
import { lookupsModule } from '../modules/lookups/module.js';
import type { ModuleDefinition } from '../modules/module.js';
import { monitorsModule } from '../modules/monitors/module.js';
import { nodesModule } from '../modules/nodes/module.js';
import { pagesModule } from '../modules/pages/module.js';
import { probesModule } from '../modules/probes/module.js';
import { releasesModule } from '../modules/releases/module.js';
import { rolloutsModule } from '../modules/rollouts/module.js';
import { streamModule } from '../modules/stream/module.js';
import { tokensModule } from '../modules/tokens/module.js';
import { webhooksModule } from '../modules/webhooks/module.js';

/**
 * Every module, in the order in which they are opened and started: a module may use the services of those before it.
 * Routes, mails, jobs, services, housekeeping and what goes with a deleted account derive from this list.
 */
export const modules: readonly ModuleDefinition[] = complete([
  probesModule,
  monitorsModule,
  nodesModule,
  accountsModule,
  tokensModule,
  alertsModule,
  auditModule,
  domainComboModule,
  eventsModule,
  jobsModule,
  lookupsModule,
  diagnoseModule,
  pagesModule,
  consoleModule,
  releasesModule,
  rolloutsModule,
  webhooksModule,
  streamModule,
]);

/** Every act that the audit log keeps. */
export const auditActions = modules.flatMap((module) => module.actions ?? []);

/** Every operation of the API and every page, except health and the reference, which describe these. */
export const routes = modules.flatMap(({ routes: own = [] }) => (typeof own === 'function' ? own(auditActions) : own));

/** Groups of operations in the API reference, in their order. */
export const apiTags: Readonly<Record<string, string>> = Object.assign({}, ...modules.map((module) => module.tags));

/** Every kind of request that is sent to addresses of users. */
export const apiWebhooks = modules.flatMap((module) => module.webhooks ?? []);

/** Classes of the metrics of all modules. */
export const metricsOfModules = modules.flatMap(({ metrics }) => metrics ?? []);

export const jobTypes = [sendMail, ...modules.flatMap((module) => module.jobs ?? [])];

/** Every mail that is sent, by its name. */
export const mailTemplates = Object.assign({}, ...modules.map((module) => module.mails)) as MailTemplates;

type Missing<M extends readonly ModuleDefinition[]> = Exclude<keyof Services, M[number]['name'] | 'resources'>;

/** Compiles only when every service that routes may use is that of a module in the list; the error names the missing ones. */
function complete<const M extends readonly ModuleDefinition[]>(
  list: M & ([Missing<M>] extends [never] ? unknown : { readonly isWithout: Missing<M> }),
): M {
  return list;
}
