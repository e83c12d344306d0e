/** Loose files of a folder, which are a room of their own. */
export const LOOSE = '.';

/** Files that list or build the parts of a module: they are above every room of it. */
export const doorFiles = ['module.ts', 'routes.ts'] as const;

/** Rooms of a module that has no order of its own, lowest first; its other folders are below these, and apart from one another. */
export const moduleRooms = [LOOSE, 'routes'] as const;

/** Rooms of larger folders, lowest first: files of a room import their own room and lower ones. */
export const roomOrders: Readonly<Record<string, readonly string[]>> = {
  'control-plane/src/http': [LOOSE, 'field-messages', 'resource', 'pages', 'frame', 'listeners', 'openapi'],
  'control-plane/src/links': ['records', 'sockets', 'traffic', 'session', LOOSE],
  'control-plane/src/modules/accounts': [
    'mails',
    'passwords',
    'profile',
    'judgement',
    'sessions',
    'sign-in',
    'factors',
    'recovery',
    'completion',
    'providers',
    'ways',
    'pages',
    LOOSE,
    'routes',
  ],
  'control-plane/src/modules/alerts': [
    'mails',
    'types',
    'deliveries',
    'channels',
    'policies',
    'events',
    'silences',
    'groups',
    'relay',
    'links',
    LOOSE,
    'routes',
  ],
  'control-plane/src/modules/diagnose': [LOOSE, 'page', 'routes'],
  'control-plane/src/modules/lookups': [
    'registries',
    'answers',
    'kinds',
    'reputation',
    'lists',
    LOOSE,
    'page',
    'routes',
  ],
  'control-plane/src/modules/pages': ['guide', 'abuse', 'task', 'map', 'home', LOOSE, 'routes'],
  'control-plane/src/modules/monitors': [
    'mails',
    'definition',
    'events',
    'checks',
    'maintenance',
    'judging',
    'heartbeats',
    'history',
    'placement',
    'groups',
    'late',
    'acts',
    'reading',
    'transfer',
    LOOSE,
    'routes',
  ],
  'control-plane/src/modules/webhooks': ['mails', 'kinds', 'endpoints', 'deliveries', 'sending', LOOSE, 'routes'],
  'control-plane/src/modules/monitors/transfer': [
    'turns',
    'yaml',
    'entry',
    'gatus',
    'kuma',
    'exporting',
    'file',
    'importing',
    LOOSE,
  ],
};
