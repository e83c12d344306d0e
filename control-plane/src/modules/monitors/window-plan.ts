import { nextOccurrence, nextTurn, type WindowTimes } from './maintenance.js';
import type { Interval } from './uptime.js';

// What is to be done for a window next, and when.
//
//            next_notice_at      next_turn_at               next_turn_at
//   ───────────────┼───────────────────┼═══════ occurrence ═══════┼──────────
//                  │<─ advance notice ─>│                          │
//           mail to the owner           └── monitors are judged ───┘

const MINUTE_MS = 60_000;

/** When something is to be done for a window, milliseconds since the epoch; null: never. */
export interface WindowPlan {
  readonly nextTurnAtMs: number | null;
  readonly nextNoticeAtMs: number | null;
}

/** A window and what was done for it. */
export interface PlannedWindow extends WindowTimes {
  /** 0: none. */
  readonly advanceNoticeMinutes: number;
  /** When the last occurrence begins that the owner was told of. */
  readonly announcedAtMs: number | null;
}

/** What a window asks for that is written now. Notices whose time is over are not given, nor any for the second time. */
export function planWindow(window: PlannedWindow, nowMs: number): WindowPlan {
  const { advanceNoticeMinutes: minutes, announcedAtMs } = window;
  const afterMs = Math.max(nowMs + minutes * MINUTE_MS, announcedAtMs === null ? nowMs : announcedAtMs + 1);
  return { nextTurnAtMs: nextTurn(window, nowMs), nextNoticeAtMs: noticeAfter(window, afterMs) };
}

/** What is due of a window, and what comes after it. */
export interface DueWork extends WindowPlan {
  /** An occurrence began or ended. */
  readonly hasTurned: boolean;
  /** The occurrence that the owner is to be told of; one that has begun meanwhile is none. */
  readonly announced: Interval | null;
}

/** Pure. A replica that comes late makes one turn of all it missed, and tells of what has not begun. */
export function planDue(window: PlannedWindow, plan: WindowPlan, nowMs: number): DueWork {
  const { nextTurnAtMs, nextNoticeAtMs } = plan;
  const hasTurned = nextTurnAtMs !== null && nextTurnAtMs <= nowMs;
  const turn = { hasTurned, nextTurnAtMs: hasTurned ? nextTurn(window, nowMs) : nextTurnAtMs };
  if (nextNoticeAtMs === null || nextNoticeAtMs > nowMs) return { ...turn, announced: null, nextNoticeAtMs };
  const beginsAtMs = nextNoticeAtMs + window.advanceNoticeMinutes * MINUTE_MS;
  const announced = beginsAtMs > nowMs ? nextOccurrence(window, beginsAtMs) : null;
  return { ...turn, announced, nextNoticeAtMs: noticeAfter(window, Math.max(beginsAtMs, nowMs) + 1) };
}

/** When the notice of the first occurrence is due that begins at an instant or later. */
function noticeAfter(window: PlannedWindow, beginsAfterMs: number): number | null {
  if (window.advanceNoticeMinutes === 0) return null;
  const next = nextOccurrence(window, beginsAfterMs);
  return next === null ? null : next.fromMs - window.advanceNoticeMinutes * MINUTE_MS;
}
