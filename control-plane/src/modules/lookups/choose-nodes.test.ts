import t from 'tap';
import { aNode } from '../../../test/_support/a-node.js';
import { chooseNodes } from './choose-nodes.js';

const trusted = { isOwnerAdmin: true };
const choose = (nodes: ReturnType<typeof aNode>[], fields: Partial<Parameters<typeof chooseNodes>[0]> = {}) =>
  chooseNodes({ nodes, selection: null, capability: null, question: 'ssl example.com', ...fields }).map(({ id }) => id);

t.test('without a selection the tagged nodes of administrators are chosen, else their public ones', async (t) => {
  const [plain, hidden, tagged, strange] = [
    aNode(trusted),
    aNode({ ...trusted, isPublic: false }),
    aNode({ ...trusted, isPublic: false, tags: ['lookup'] }),
    aNode({ tags: ['lookup'] }),
  ];
  t.strictSame(choose([plain, hidden, tagged, strange]), [tagged.id]);
  t.strictSame(choose([plain, hidden, strange]), [plain.id]);
  t.strictSame(
    choose([plain, { ...tagged, sessionId: null }]),
    [],
    'the operator meant the tagged ones, online or not',
  );
});

t.test('a selection chooses nodes of administrators, and any node by its id', async (t) => {
  const [german, french] = [aNode({ ...trusted, country: 'DE' }), aNode({ ...trusted, country: 'FR' })];
  const strange = aNode({ country: 'DE' });
  t.strictSame(choose([german, french, strange], { selection: { countries: ['DE'] } }), [german.id]);
  t.strictSame(choose([german, french, strange], { selection: { node_ids: [strange.id] } }), [strange.id]);
});

t.test('nodes that are offline, draining, banned, deleted or lack the capability are not chosen', async (t) => {
  const nodes = [{ sessionId: null }, { isDraining: true }, { isBanned: true }, { isDeleted: true }];
  t.strictSame(choose(nodes.map((fields) => aNode({ ...trusted, ...fields }))), []);
  t.strictSame(choose([aNode({ ...trusted, capabilities: [] })], { capability: 'icmp' }), []);
});

t.test('a question goes to the same node while it is online, and questions are spread over all nodes', async (t) => {
  const nodes = Array.from({ length: 5 }, () => aNode(trusted));
  const firstOf = (question: string, among = nodes) => choose(among, { question })[0];
  const questions = Array.from({ length: 200 }, (_, index) => `whois ${index}.example.com`);
  const first = new Map(questions.map((question) => [question, firstOf(question)]));
  t.equal(new Set(first.values()).size, 5);
  const [gone] = nodes;
  const left = nodes.filter((node) => node !== gone).reverse();
  for (const [question, id] of first) if (id !== gone?.id) t.equal(firstOf(question, left), id);
});
