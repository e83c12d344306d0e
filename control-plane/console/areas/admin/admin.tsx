import type { View } from '../../shell/areas.js';
import { AuditView } from './audit.js';
import { JobsView } from './jobs.js';
import { NodesView } from './nodes.js';
import { OverviewView } from './overview.js';
import { RolloutPage } from './rollout.js';
import { RolloutsView } from './rollouts.js';
import { UserPage } from './user.js';
import { UsersView } from './users.js';

export const views: readonly View[] = [
  { path: '/admin', view: OverviewView },
  { path: '/admin/users', view: UsersView },
  { path: '/admin/users/:id', view: UserPage },
  { path: '/admin/nodes', view: NodesView },
  { path: '/admin/rollouts', view: RolloutsView },
  { path: '/admin/rollouts/:id', view: RolloutPage },
  { path: '/admin/audit', view: AuditView },
  { path: '/admin/jobs', view: JobsView },
];
