import { type EventKind, eventKinds } from '../../events/index.js';
import { fits, requireFitting } from '../../http/access.js';
import type { Account, Auth } from '../../http/route.js';

/** Topics of the stream. */
export const topicNames = ['monitors', 'alerts', 'nodes', 'account', 'admin'] as const;
export type Topic = (typeof topicNames)[number];

/** Access that each topic needs, and the subjects of its events. */
const topics: Readonly<Record<Topic, { readonly needs: Auth; readonly subjects: readonly string[] }>> = {
  monitors: {
    needs: { kind: 'scope', scope: 'monitor:read' },
    subjects: ['monitor', 'ssl', 'domain', 'maintenance'],
  },
  alerts: {
    needs: { kind: 'scope', scope: 'alert:read' },
    subjects: ['alert'],
  },
  nodes: {
    needs: { kind: 'scope', scope: 'account' },
    subjects: ['node', 'enrollment'],
  },
  account: {
    needs: { kind: 'scope', scope: 'account' },
    subjects: ['session', 'credential'],
  },
  admin: { needs: { kind: 'admin' }, subjects: ['job'] },
};

/** Topics that credentials may have. */
function topicsOf(account: Account): Topic[] {
  return topicNames.filter((name) => fits(account, topics[name].needs));
}

/** Topics of a stream: those that are asked for, or all that the credentials may have. @throws ApiError FORBIDDEN */
export function chooseTopics(account: Account, asked: readonly Topic[] | null): readonly Topic[] {
  if (asked === null) return topicsOf(account);
  for (const name of asked) requireFitting(account, topics[name].needs);
  return asked;
}

/** Kinds of events of these topics. */
export function kindsOf(chosen: readonly Topic[]): ReadonlySet<string> {
  const subjects = new Set(chosen.flatMap((name) => topics[name].subjects));
  return new Set((Object.keys(eventKinds) as EventKind[]).filter((kind) => subjects.has(kind.replace(/\..*/, ''))));
}
