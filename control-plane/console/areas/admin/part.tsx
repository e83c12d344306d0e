import type { ComponentChildren } from 'preact';
import { Sections } from '../../ui/sections.js';
import { adminTexts } from './texts.js';

/** Views of the area in the order of their links. */
const parts = ['overview', 'users', 'nodes', 'rollouts', 'audit', 'jobs'] as const;

/** A view of the area below the links to all of them. Views of one thing have their own heading. */
export function Part(props: { readonly name?: (typeof parts)[number]; readonly children: ComponentChildren }) {
  const text = adminTexts();
  return (
    <section>
      <Sections
        label={text.title}
        sections={parts.map((part) => ({
          path: part === 'overview' ? '/admin' : `/admin/${part}`,
          label: text.parts[part],
        }))}
      />
      {props.name !== undefined && <h1>{props.name === 'overview' ? text.title : text.parts[props.name]}</h1>}
      {props.children}
    </section>
  );
}
