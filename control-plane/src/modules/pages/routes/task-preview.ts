import { verdictOf } from '@vantage/shared/probe-types/verdict.js';
import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';
import { encodePng } from '../task/png.js';
import { previewPicture } from '../task/preview-picture.js';
import { durationOf, resultPhases } from '../task/result-phases.js';

/** GET /p/{id}/preview.png: picture of a probe's results, for previews of links to its page. */
export const taskPreview = defineRoute({
  operationId: 'getTaskPreview',
  method: 'GET',
  path: '/p/{id}/preview.png',
  summary: 'Results of a probe as a picture',
  tag: 'Pages',
  auth: { kind: 'none' },
  limit: { name: 'task-previews', limit: 60, per: 'minute', from: 'address' },
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  replies: { 200: Type.Unknown() },
  replyKind: 'raw',
  errors: ['PROBE_JOB_NOT_FOUND'],
  isDocumented: false,
  async handle({ params: { id } }, { probes }) {
    const { task } = await probes.share(id);
    const { probe_type: type, node_results: results } = task;
    const phases = results.map((result) => resultPhases(type, result));
    const scaleMs = Math.max(1e-9, ...phases.map(durationOf));
    const rows = results.map((result, i) => {
      const bars = phases[i] ?? [];
      return { look: verdictOf(type, result).look, bars, share: durationOf(bars) / scaleMs };
    });
    const body = encodePng(previewPicture(rows));
    const headers = task.status === 'running' ? {} : { 'Cache-Control': 'public, max-age=86400' };
    return { status: 200, raw: { contentType: 'image/png', body }, headers };
  },
});
