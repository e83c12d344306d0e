import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { open, publicScope, type Samples, scope } from '../../../../test/_support/samples.js';

const probe = publicScope('probe');
const readBack = publicScope('probe:read');
const readOwn = scope('probe:read');
const changeOwn = scope('probe');

export const samples: Samples = {
  operations: {
    'POST /v1/diagnose': { callers: open(probe) },
    'GET /v1/diagnose': { callers: readOwn },
    'GET /v1/diagnose/{id}': { callers: readBack },
    'GET /v1/diagnose/{id}/events': { callers: readBack },
    'PATCH /v1/diagnose/{id}': { callers: open(changeOwn) },
    'DELETE /v1/diagnose/{id}': { callers: open(changeOwn) },
  },
  rows: [
    {
      table: 'diagnose_reports',
      paths: ['/v1/diagnose'],
      list: 'counted',
      async create({ db, userId, isTest, text }) {
        const id = newId(idPrefixes.diagnoseReport);
        const done = {
          status: 'failed',
          report: '{"status":"failed","overall_score":null,"sections":{},"truncated":false}',
        };
        const empty = { scope: ['ping'], node_ids: [], tasks: '{}', cost: 0, shared: false };
        const times = { created_at: new Date(), ends_at: new Date() };
        const row = { id, owner_id: userId, is_test: isTest, target: text };
        await db('diagnose_reports').insert({ ...row, ...done, ...empty, ...times });
        return id;
      },
    },
  ],
};
