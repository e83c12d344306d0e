import { alternatives } from '@vantage/shared/complaints.js';
import { probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { Type } from 'typebox';
import { ApiError } from '../../../http/errors.js';
import { defineRoute } from '../../../http/route.js';

/** POST /v1/probe/{type} for a word that is no type: 404 that lists the types. */
export const refuseType = defineRoute({
  operationId: 'refuseProbeType',
  method: 'POST',
  path: '/v1/probe/{type}',
  summary: 'Refuse an unknown type of probe',
  tag: 'Probes',
  auth: { kind: 'none' },
  isDocumented: false,
  params: Type.Object({ type: Type.String() }),
  body: Type.Object({}, { additionalProperties: true }),
  replies: { 200: Type.Null() },
  errors: ['NOT_FOUND'],
  async handle({ params: { type } }) {
    const message = `no such type of probe${alternatives(type, probeTypeNames)}`;
    throw new ApiError('NOT_FOUND', { details: { type: [{ code: 'enum', message }] } });
  },
});
