import type { Message } from './message.js';

/** True if nothing of what a message is about lasts any longer. */
export function isAboutEnd({ kind, isOver }: Pick<Message, 'kind' | 'isOver'>): boolean {
  return kind === 'resolved' || isOver === true;
}
