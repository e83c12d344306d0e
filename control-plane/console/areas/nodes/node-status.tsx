import { type Look, Pill } from '../../ui/status.js';
import type { Node } from './node.js';
import { nodeTexts } from './texts.js';

const looks: Readonly<Record<Node['status'], Look>> = {
  online: 'good',
  offline: 'bad',
  draining: 'warn',
  banned: 'bad',
};

export function NodeStatus({ node: { status } }: { readonly node: Pick<Node, 'status'> }) {
  return <Pill look={looks[status]} word={nodeTexts().states[status]} />;
}
