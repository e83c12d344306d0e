import type { ComponentChildren } from 'preact';
import { Sections } from '../../ui/sections.js';
import { accountTexts } from './texts.js';

/** Views of the area in the order of their links. */
const parts = ['profile', 'keys', 'tokens', 'sessions', 'limits', 'audit'] as const;

/** A view of the area below the links to all of them. */
export function Part({
  name,
  children,
}: {
  readonly name: (typeof parts)[number];
  readonly children: ComponentChildren;
}) {
  const text = accountTexts();
  return (
    <section>
      <Sections
        label={text.title}
        sections={parts.map((part) => ({ path: `/account/${part}`, label: text.parts[part] }))}
      />
      <h1>{text.parts[name]}</h1>
      {children}
    </section>
  );
}
