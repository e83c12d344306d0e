import { defineRoute } from '../../../http/route.js';
import { EnrollReplySchema, EnrollRequestSchema } from '../schema.js';

/** POST /v1/nodes/enroll: the token is the credential. */
export const enrollNode = defineRoute({
  operationId: 'enrollNode',
  method: 'POST',
  path: '/v1/nodes/enroll',
  summary: 'Enroll an agent',
  description:
    'Called by vantage-agent. A used, expired, revoked and unknown token get one and the same answer; a repeated request with the same token and the same key gets the first answer again.',
  tag: 'Enrollment',
  auth: { kind: 'public' },
  body: EnrollRequestSchema,
  replies: { 201: EnrollReplySchema },
  errors: ['NODE_ENROLLMENT_TOKEN_INVALID', 'VALIDATION_FAILED', 'CONFLICT'],
  async handle({ body }, { nodes }) {
    const nodeId = await nodes.enrollment.enroll(body);
    await nodes.directory.announce([nodeId]);
    return { status: 201, data: nodes.enrollReply(nodeId) };
  },
});
