import type { Interval } from '../definition/interval.js';
import { nextOccurrence, nextTurn, type WindowTimes } from './maintenance.js';

// Next work for a window, and when it is due.
//
//            next_notice_at      next_turn_at               next_turn_at
//   ───────────────┼───────────────────┼═══════ occurrence ═══════┼──────────
//                  │<─ advance notice ─>│                          │
//           mail to the owner           └── monitors are judged ───┘

const MINUTE_MS = 60_000;

/** Due times of the next work for a window, milliseconds since the epoch; null for never. */
export interface WindowPlan {
  readonly nextTurnAtMs: number | null;
  readonly nextNoticeAtMs: number | null;
}

/** Window with the notices sent for it. */
export interface PlannedWindow extends WindowTimes {
  /** Minutes before an occurrence at which the owner is notified; 0: no notice. */
  readonly advanceNoticeMinutes: number;
  /** Start of the last occurrence that was announced to the owner. */
  readonly announcedAtMs: number | null;
}

/** Plan for a window that is written now. Overdue notices are not sent, and none is sent twice. */
export function planWindow(window: PlannedWindow, nowMs: number): WindowPlan {
  const { advanceNoticeMinutes: minutes, announcedAtMs } = window;
  const afterMs = Math.max(nowMs + minutes * MINUTE_MS, announcedAtMs === null ? nowMs : announcedAtMs + 1);
  return { nextTurnAtMs: nextTurn(window, nowMs), nextNoticeAtMs: noticeAfter(window, afterMs) };
}

/** Due work for a window, and the plan after it. */
export interface DueWork extends WindowPlan {
  /** True if an occurrence began or ended. */
  readonly hasTurned: boolean;
  /** Occurrence to announce to the owner; null if there is none, or it has begun meanwhile. */
  readonly announced: Interval | null;
}

/** Due work for a window at an instant. Pure. A late replica combines all missed turns into one, and announces only an occurrence that has not begun. */
export function planDue(window: PlannedWindow, plan: WindowPlan, nowMs: number): DueWork {
  const { nextTurnAtMs, nextNoticeAtMs } = plan;
  const hasTurned = nextTurnAtMs !== null && nextTurnAtMs <= nowMs;
  const turn = { hasTurned, nextTurnAtMs: hasTurned ? nextTurn(window, nowMs) : nextTurnAtMs };
  if (nextNoticeAtMs === null || nextNoticeAtMs > nowMs) return { ...turn, announced: null, nextNoticeAtMs };
  const beginsAtMs = nextNoticeAtMs + window.advanceNoticeMinutes * MINUTE_MS;
  const announced = beginsAtMs > nowMs ? nextOccurrence(window, beginsAtMs) : null;
  return { ...turn, announced, nextNoticeAtMs: noticeAfter(window, Math.max(beginsAtMs, nowMs) + 1) };
}

/** Due time of the notice for the first occurrence that begins at an instant or later. */
function noticeAfter(window: PlannedWindow, beginsAfterMs: number): number | null {
  if (window.advanceNoticeMinutes === 0) return null;
  const next = nextOccurrence(window, beginsAfterMs);
  return next === null ? null : next.fromMs - window.advanceNoticeMinutes * MINUTE_MS;
}
