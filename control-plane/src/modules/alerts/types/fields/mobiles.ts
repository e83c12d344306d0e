import { Type } from 'typebox';
import type { Message } from '../message.js';
import { isAboutEnd } from '../tone.js';

/** Numbers of people whom a bot of a Chinese vendor mentions when something is wrong. */
export function mobilesSchema(description: string) {
  return Type.Array(Type.String({ pattern: '^(?:\\+?[0-9]{1,4}-)?[0-9]{5,15}$', example: '13800000000' }), {
    maxItems: 20,
    uniqueItems: true,
    description,
    example: ['13800000000'],
  });
}

/** True if people are mentioned by a message: something is wrong, and it asks them to act. */
export function mentionsPeople(message: Message): boolean {
  return !isAboutEnd(message) && ['firing', 'severity', 'reminder', 'escalation', 'digest'].includes(message.kind);
}
