import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { open, publicScope, type Samples, scope } from '../../../../test/_support/samples.js';

const probe = publicScope('probe');
const readBack = publicScope('probe:read');
const readOwn = scope('probe:read');
const changeOwn = scope('probe');

export const samples: Samples = {
  operations: {
    'POST /v1/probe/http': { callers: open(probe) },
    'POST /v1/probe/ping': { callers: open(probe) },
    'POST /v1/probe/dns': { callers: open(probe) },
    'POST /v1/probe/tcp': { callers: open(probe) },
    'POST /v1/probe/traceroute': { callers: open(probe) },
    'POST /v1/probe/mtr': { callers: open(probe) },
    'POST /v1/probe/smtp': { callers: open(probe) },
    'POST /v1/probe/ntp': { callers: open(probe) },
    'POST /v1/probe/ssl': { callers: open(probe) },
    'POST /v1/probe/speedtest': { callers: open(probe) },
    'GET /v1/probe/tasks': { callers: readOwn },
    'GET /v1/probe/tasks/{id}': { callers: readBack },
    'GET /v1/probe/tasks/{id}/events': { callers: readBack },
    'PATCH /v1/probe/tasks/{id}': { callers: open(changeOwn) },
  },
  rows: [
    {
      table: 'probe_tasks',
      paths: ['/v1/probe/tasks'],
      list: 'counted',
      async create({ db, userId, isTest, text }) {
        const id = newId(idPrefixes.probeTask);
        const task = { id, owner_id: userId, is_test: isTest, probe_type: 'http', target: text, spec: '{}' };
        await db('probe_tasks').insert({ ...task, created_at: new Date() });
        return id;
      },
      keptOfDeleted: ['false', 'results stay for 7 days'],
    },
  ],
};
