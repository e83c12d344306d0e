import { actorOf } from '../../../actor.js';
import { defineRoute } from '../../../http/route.js';
import { EnrollReplySchema, EnrollRequestSchema } from '../schema.js';

/** POST /v1/nodes/enroll: the token is the credential. */
export const enrollNode = defineRoute({
  operationId: 'enrollNode',
  method: 'POST',
  path: '/v1/nodes/enroll',
  summary: 'Enroll an agent',
  description:
    'Called by vantage-agent. A used, expired, revoked and unknown token get one and the same answer; a repeated request with the same token and the same key gets the first answer again. Of wrong tokens one network (IPv4 /24, IPv6 /48) may try 30 a minute; an owner has as many nodes as the plan allows, and enrolls as many an hour, 10 at least.',
  tag: 'Enrollment',
  auth: { kind: 'public' },
  limit: 'enrollment',
  body: EnrollRequestSchema,
  bodyExample: {
    token: 'ent_…',
    public_key: '3KZx0n5yq5rC1i8u0cUQkD9o5gqgB2s6YvZ4mL7wX8E=',
    proof: 'signature, base64',
    hostname: 'probe-1',
    version: '0.1.0',
    os: 'linux',
    arch: 'x64',
    capabilities: ['icmp', 'icmp_echo'],
  },
  replies: { 201: EnrollReplySchema },
  replyExample: {
    node_id: 'n_1CGRtJ1RH3rs4vbBJ5pyj9',
    control_urls: ['https://vantage.example'],
    server_public_key: 'GbVUQCk0k1xZ8mUsU2hUW0h0v3gQp8Yd2cF5t5yTn3E=',
    audience: 'https://vantage.example',
    config: { heartbeat_ms: 15_000 },
  },
  errors: ['NODE_ENROLLMENT_TOKEN_INVALID', 'VALIDATION_FAILED', 'CONFLICT', 'FEATURE_LOCKED', 'RATE_LIMIT_EXCEEDED'],
  async handle(request, { enrollment }) {
    return { status: 201, data: await enrollment.enroll(request.body, actorOf(request)) };
  },
});
