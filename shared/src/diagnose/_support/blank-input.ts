import { sectionNames } from '../finding-table.js';
import type { DiagnoseInput } from '../report.js';
import { parseDiagnoseTarget } from '../target.js';

/** Input of a report about all sections, from one node, before any result. */
export function blankInput(parts: Partial<DiagnoseInput> = {}): DiagnoseInput {
  return {
    target: parseDiagnoseTarget('site.example.com'),
    scope: new Set(sectionNames),
    nodeIds: ['n1'],
    isOver: false,
    taskIds: {},
    http: [],
    plainHttp: [],
    ssl: [],
    dns: [],
    ping: [],
    traceroute: [],
    zone: null,
    headers: null,
    asnOf: () => null,
    ...parts,
  };
}
