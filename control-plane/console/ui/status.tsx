import type { ComponentChildren } from 'preact';

/** `warn` is not what one hopes for, `none` is no judgment. */
export type Look = 'good' | 'warn' | 'bad' | 'none';

const shapes: Readonly<Record<Look, ComponentChildren>> = {
  good: <path d="M2.5 8.5 6 12l7.5-8" fill="none" stroke="currentColor" stroke-width="2.4" />,
  warn: <path d="M8 1.5 15 14H1zM8 6v4m0 1.5V13" fill="none" stroke="currentColor" stroke-width="1.8" />,
  bad: <path d="M3 3l10 10M13 3 3 13" fill="none" stroke="currentColor" stroke-width="2.4" />,
  none: <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="3 2.6" />,
};

/** A state by its shape, word and colour together. */
export function Pill({ look, word }: { readonly look: Look; readonly word: string }) {
  return (
    <span class={`pill ${look}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {shapes[look]}
      </svg>
      {word}
    </span>
  );
}
