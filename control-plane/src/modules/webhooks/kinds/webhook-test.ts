import { Type } from 'typebox';
import { open } from '../../../events/index.js';

const TestData = open({
  endpoint: open({ id: Type.String(), url: Type.String() }),
  message: Type.String(),
});

const example = {
  endpoint: { id: 'whe_1FZ3ybQXhhsV3cDKtVoMjX', url: 'https://hooks.example/vantage' },
  message: 'This is a test of your webhook endpoint.',
};

export const webhookTest = {
  summary: 'A test that you requested; no subscription is needed for it.',
  subject: 'webhook endpoint',
  full: TestData,
  thin: open({ endpoint_id: Type.String() }),
  example,
  thinOf: ({ endpoint }: typeof example) => ({ endpoint_id: endpoint.id }),
};

/** `data` of a test of an endpoint. */
export function testData({ id, url }: { readonly id: string; readonly url: string }) {
  return { ...example, endpoint: { id, url } };
}
