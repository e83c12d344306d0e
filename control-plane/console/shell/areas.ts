import type { ComponentType } from 'preact';
import type { ShellText } from './texts.js';

/** A view of an area: the pattern of its address below `/console`, and its component, which gets the parameters of the address. */
export interface View {
  readonly path: string;
  readonly view: ComponentType<{ readonly params: Readonly<Record<string, string | undefined>> }>;
}

/** An area of the console: a part of the navigation, and a script of its own. */
export interface Area {
  /** Address of its first view; others are below it. */
  readonly path: string;
  readonly title: ShellText;
  /** `anyone` sees it without an account; `person` needs one; `admin` the role of an administrator. */
  readonly for: 'anyone' | 'person' | 'admin';
  load(): Promise<{ readonly views: readonly View[] }>;
}

/** Every area, in the order of the navigation. */
export const areas: readonly Area[] = [
  { path: '/', title: 'overview', for: 'person', load: () => import('../areas/overview/overview.js') },
  { path: '/probe', title: 'probe', for: 'anyone', load: () => import('../areas/probe/probe.js') },
  { path: '/monitors', title: 'monitors', for: 'person', load: () => import('../areas/monitors/monitors.js') },
  { path: '/events', title: 'events', for: 'person', load: () => import('../areas/events/events.js') },
  { path: '/alerts', title: 'alerts', for: 'person', load: () => import('../areas/alerts/alerts.js') },
  {
    path: '/maintenance',
    title: 'maintenance',
    for: 'person',
    load: () => import('../areas/maintenance/maintenance.js'),
  },
  { path: '/nodes', title: 'nodes', for: 'anyone', load: () => import('../areas/nodes/nodes.js') },
  { path: '/my-nodes', title: 'myNodes', for: 'person', load: () => import('../areas/my-nodes/my-nodes.js') },
  { path: '/lookups', title: 'lookups', for: 'person', load: () => import('../areas/lookups/lookups.js') },
  { path: '/diagnose', title: 'diagnose', for: 'person', load: () => import('../areas/diagnose/diagnose.js') },
  { path: '/account', title: 'account', for: 'person', load: () => import('../areas/account/account.js') },
  { path: '/admin', title: 'admin', for: 'admin', load: () => import('../areas/admin/admin.js') },
];
