import { idPrefixes } from '@vantage/shared/ids.js';
import { resource } from '../../../http/resource/resource.js';
import type { Revocation } from '../../../owners/index.js';
import { checkScope } from '../definition/monitor-scope.js';
import { type WindowChange, windowForm } from './window-form.js';
import { planWindow } from './window-plan.js';
import { hasSameTimes, windowFieldsOf } from './window-settings.js';
import { planColumns, queueMonitorsIn, timesOf, type WindowFields, type WindowProgress } from './window-store.js';

/** Windows of an account: every view of a monitor reads all of them. */
const MAX_WINDOWS = 100;

/** Maintenance windows (API specification 2.4). Changes apply immediately, also to past occurrences. */
export const maintenanceWindows = resource<WindowFields, WindowChange, WindowProgress>({
  name: 'maintenance_window',
  operation: 'MaintenanceWindow',
  words: ['maintenance window', 'maintenance windows'],
  path: '/v1/maintenance-windows',
  tag: 'Monitors',
  scopes: { read: 'monitor:read', write: 'monitor:write' },
  table: 'maintenance_windows',
  idPrefix: idPrefixes.maintenanceWindow,
  form: { ...windowForm, columnsOf: windowFieldsOf },
  extraColumns: ['turned_at', 'next_turn_at', 'announced_at', 'next_notice_at'],
  cap: { most: MAX_WINDOWS, field: 'maintenance_windows' },
  notFound: 'NOT_FOUND',
  texts: {
    list: 'Newest first.',
    create: `During the window its monitors are checked as usual and their checks are marked; no event opens, and the time is left out of uptime. An event that is open when the window begins stays open; for a monitor that is still down when the window ends, an event opens that begins there. A window may be in the past: uptime leaves it out from now on. An account may have ${MAX_WINDOWS} windows.`,
    get: 'Monitors and groups that have been deleted are still listed in `scope_ids`, without effect.',
    change:
      'Fields that are left out do not change. The update applies immediately, also to past occurrences: to end a recurring window and keep its past occurrences, set `recurrence_until`. If you change `scope_type`, send `scope_ids` too.',
    delete:
      'As if the window had never existed: uptime counts the time in it, and an event opens immediately for a monitor that is down.',
  },
  examples: {
    create: {
      title: 'New switches',
      scope_type: 'tag',
      scope_ids: ['production'],
      starts_at: '2026-11-21T22:00:00Z',
      ends_at: '2026-11-21T23:30:00Z',
      recurrence: 'weekly',
      timezone: 'Europe/Berlin',
      advance_notice_minutes: 60,
    },
    change: { ends_at: '2026-11-21T23:45:00Z' },
  },
  audited: ({ title, scope_type }) => ({ title, scope_type }),
  rules: async (trx, fields, { body, before, account, nowMs }) => {
    // members of the previous scope may have been deleted since, which is not an error of this change
    if (before === null || body.scope_ids !== undefined || body.scope_type !== undefined)
      await checkScope(trx, fields, account.owner);
    const announcedAt = before !== null && hasSameTimes(before, fields) ? before.announced_at : null;
    const planned = {
      ...timesOf(fields),
      advanceNoticeMinutes: fields.advance_notice_minutes,
      announcedAtMs: announcedAt?.getTime() ?? null,
    };
    return { ...planColumns(planWindow(planned, nowMs)), turned_at: null, announced_at: announcedAt };
  },
  after: async (trx, { before, after }) => {
    for (const window of [before, after]) if (window !== null) await queueMonitorsIn(trx, window);
  },
  onCommitted: ({ monitors }) => monitors.judge(),
});

/** Deletes the windows of an account that turns out to belong to someone else: they keep events of its monitors from opening. */
export const windowRevocation: Revocation = {
  words: { en: 'Maintenance windows', 'zh-CN': '维护窗口', 'zh-TW': '維護時段' },
  async revoke(trx, ownerId, why) {
    const windows = await maintenanceWindows.revokeOf(trx, ownerId, why);
    return windows.map(({ id, title }) => ({ name: title ?? id }));
  },
};
