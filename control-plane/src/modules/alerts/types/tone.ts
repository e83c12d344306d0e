import type { Tone } from '../../../mail/template.js';
import type { Message } from './message.js';

/** True if nothing of what a message is about lasts any longer. */
export function isAboutEnd({ kind, isOver }: Pick<Message, 'kind' | 'isOver'>): boolean {
  return kind === 'resolved' || isOver === true;
}

/** Tone of a message, which its colour shows. */
export function toneOf(message: Pick<Message, 'kind' | 'isOver' | 'severity'>): Tone {
  const { kind, severity } = message;
  if (isAboutEnd(message)) return 'good';
  if (kind === 'test' || kind === 'verification' || severity === 'info') return 'neutral';
  return severity === 'critical' ? 'bad' : 'warning';
}

/** Sentence of a message for chats without colours: a coloured circle goes before it. */
export function withCircle(sentence: string, message: Message): string {
  return `${circles[toneOf(message)]} ${sentence}`;
}

const circles: Readonly<Record<Tone, string>> = { good: '🟢', bad: '🔴', warning: '🟠', neutral: '🔵' };
