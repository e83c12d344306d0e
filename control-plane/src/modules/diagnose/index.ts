import type { Clock } from '@vantage/shared/clock.js';
import { sectionNames } from '@vantage/shared/diagnose/finding-table.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { lazily } from '@vantage/shared/lazily.js';
import { compileSchema } from '@vantage/shared/validation.js';
import type { Knex } from 'knex';
import type { Actor } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import { ApiError } from '../../http/errors.js';
import type { Locale } from '../../http/locale.js';
import type { Caller } from '../../http/rate-limit.js';
import type { ServerEvent } from '../../http/route.js';
import { type Viewer, viewerOf } from '../../http/viewer.js';
import { lockOwner, type Owner } from '../../owners/index.js';
import { isVisibleTo, type NodeDirectory } from '../nodes/index.js';
import type { Probes } from '../probes/index.js';
import type { ReportReader, ReportState } from './report-reader.js';
import { LEASE_MS, REPORT_DEADLINE_MS, type ReportRuns } from './report-runs.js';
import { deleteReport, insertReport, listReports, type NewReport, updateShared } from './report-store.js';
import { costOf, type DiagnoseBody, readRequest } from './request.js';
import { DiagnoseBodySchema, type ListedView, type ReportView } from './schema.js';
import { listedView, reportView } from './view.js';

export type { ReportView, SectionView } from './schema.js';

/** Check of a body that did not come through the operation. */
const checkBody = lazily(() => compileSchema(DiagnoseBodySchema));

/** Interval of reads without a wake-up, in milliseconds: one may be lost between replicas. */
const REREAD_MS = 2_000;

interface DiagnoseOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly directory: NodeDirectory;
  readonly probes: Pick<Probes, 'chooseShared' | 'takeNodeTests'>;
  readonly reader: ReportReader;
  readonly runs: ReportRuns;
  readonly announce: (id: string) => void;
  readonly publicUrl: string;
}

/** Reader of a report. */
export interface Reader {
  readonly viewer: Viewer;
  readonly locale: Locale;
}

/** Reports about targets, from several nodes. */
export class Diagnose {
  constructor(private readonly options: DiagnoseOptions) {}

  /**
   * Creates a report, and takes one node test for each of its node tasks; returns it as it begins.
   * @throws ApiError VALIDATION_FAILED, PROBE_TARGET_INVALID, NODE_NOT_FOUND, NODE_OFFLINE, QUOTA_EXCEEDED, DIAGNOSE_REPORT_TOO_LONG
   */
  async create(body: DiagnoseBody, caller: Caller & { readonly locale: Locale }): Promise<ReportView> {
    const { clock, probes, runs } = this.options;
    const { account, locale } = caller;
    const viewer = viewerOf(account);
    const request = readRequest(body);
    const nodes = probes.chooseShared(request.requests, viewer);
    const cost = costOf(request, nodes.length);
    const taken = cost === 0 ? null : await probes.takeNodeTests(caller, cost);
    const report: NewReport = {
      id: newId(idPrefixes.diagnoseReport, clock.now()),
      owner_id: viewer.ownerId,
      is_test: viewer.isTest,
      target: request.text,
      scope: sectionNames.filter((name) => request.scope.has(name)),
      node_ids: nodes.map(({ id }) => id),
      // anyone who has the id of a report without an owner may read it
      shared: account === null || (body.shared ?? false),
      receipt: taken?.receipt ?? null,
      cost,
    };
    await this.#store(report, account?.owner ?? null).catch(async (error: unknown) => {
      await taken?.giveBack();
      throw error;
    });
    runs.run(report.id);
    return this.get(report.id, { viewer, locale });
  }

  /** Creates a report from a form, whose body is checked as that of the API. @throws ApiError as `create` */
  createFromForm(body: unknown, caller: Parameters<Diagnose['create']>[1]): Promise<ReportView> {
    const checked = checkBody()(body);
    if (!checked.ok) throw new ApiError('VALIDATION_FAILED', { details: checked.details });
    return this.create(checked.value, caller);
  }

  /** Returns the current state of a report. @throws ApiError NOT_FOUND */
  async get(id: string, reader: Reader): Promise<ReportView> {
    return this.#view(readable(await this.options.reader.find(id), reader.viewer), reader);
  }

  /** Returns a report once it has ended, or its state after `seconds`. @throws ApiError NOT_FOUND */
  async waitFor(id: string, reader: Reader, wait: { readonly seconds: number; readonly signal: AbortSignal }) {
    const ending = new AbortController();
    const cancel = this.options.clock.after(wait.seconds * 1_000, () => ending.abort());
    const signal = AbortSignal.any([wait.signal, ending.signal]);
    try {
      let last: ReportState | null = null;
      for await (const state of this.options.reader.follow(id, signal, REREAD_MS)) {
        last = readable(state, reader.viewer);
        if (last.row.status !== 'running') return this.#view(last, reader);
      }
      return await this.get(id, reader);
    } finally {
      cancel();
    }
  }

  /** Streams the sections of a report as they end, then the report. @throws ApiError NOT_FOUND before the first event */
  async events(id: string, reader: Reader, signal: AbortSignal): Promise<AsyncIterable<ServerEvent>> {
    readable(await this.options.reader.find(id), reader.viewer);
    return this.#stream(id, reader, signal);
  }

  /** Returns a report that everyone may read; null if there is none. */
  async findShared(id: string, locale: Locale): Promise<ReportView | null> {
    const state = await this.options.reader.find(id);
    if (state === null || !state.row.shared) return null;
    return this.#view(state, { viewer: viewerOf(null), locale });
  }

  /** Lists a page of an owner's reports, newest first. */
  async list(owner: Owner, page: { readonly limit: number; readonly offset: number }) {
    const { rows, total } = await listReports(this.options.db, owner, page);
    const items: ListedView[] = rows.map((row) => listedView(row, this.options.publicUrl));
    return { items, total };
  }

  /** Changes if everyone may read the page of a report. @throws ApiError NOT_FOUND */
  async share(id: string, isShared: boolean, by: { readonly owner: Owner; readonly actor: Actor }): Promise<void> {
    const action = isShared ? 'diagnose_report.shared' : 'diagnose_report.unshared';
    await this.options.db.transaction(async (trx) => {
      if (!(await updateShared(trx, by.owner, { id, isShared }))) throw new ApiError('NOT_FOUND');
      await insertAuditEntry(trx, { actor: by.actor, accountId: by.owner.id, action, subject: id });
    });
    this.options.announce(id);
  }

  /** Deletes a report; its tasks end by themselves, those that have not begun are refunded. @throws ApiError NOT_FOUND */
  async delete(id: string, { owner, actor }: { readonly owner: Owner; readonly actor: Actor }): Promise<void> {
    const deleted = await this.options.db.transaction(async (trx) => {
      const report = await deleteReport(trx, owner, id);
      if (report === null) throw new ApiError('NOT_FOUND');
      const entry = { actor, accountId: owner.id, action: 'diagnose_report.deleted', subject: id } as const;
      await insertAuditEntry(trx, entry);
      return report;
    });
    this.options.announce(id);
    await this.options.runs.refund(deleted);
  }

  async #store(report: NewReport, owner: Owner | null): Promise<void> {
    const times = { deadlineMs: REPORT_DEADLINE_MS, leaseMs: LEASE_MS };
    await this.options.db.transaction(async (trx) => {
      if (owner !== null) await lockOwner(trx, owner);
      await insertReport(trx, report, times);
    });
  }

  async *#stream(id: string, reader: Reader, signal: AbortSignal): AsyncGenerator<ServerEvent> {
    const seen = new Set<string>();
    for await (const state of this.options.reader.follow(id, signal, REREAD_MS)) {
      const view = this.#view(state, reader);
      for (const name of sectionNames) {
        const section = view.sections[name];
        const isOpen = section === undefined || section.status === 'pending' || section.status === 'running';
        if (isOpen || seen.has(name)) continue;
        seen.add(name);
        yield { event: 'diagnose.section', id: name, data: { section: name, ...section } };
      }
      if (view.status !== 'running') yield { event: 'diagnose.done', id, data: view };
    }
  }

  #view(state: ReportState, { viewer, locale }: Reader): ReportView {
    const { directory, publicUrl } = this.options;
    const findNode = (id: string) => {
      const node = directory.find(id);
      return node !== null && isVisibleTo(node, viewer) ? node : null;
    };
    return reportView(state, { locale, publicUrl, findNode });
  }
}

/**
 * Returns a report that the viewer may read: that of an account is readable by that account only, one without an owner by everyone who
 * has its id. Test keys read only reports of test keys. @throws ApiError NOT_FOUND
 */
function readable(state: ReportState | null, viewer: Viewer): ReportState {
  const isTheirs = state !== null && (state.row.owner_id === null || state.row.owner_id === viewer.ownerId);
  if (!isTheirs || (viewer.isTest && !state.row.is_test)) throw new ApiError('NOT_FOUND');
  return state;
}

declare module '../../http/route.js' {
  interface Services {
    readonly diagnose: Diagnose;
  }
}
