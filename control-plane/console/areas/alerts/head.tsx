import { Link } from 'wouter-preact';
import { alertTexts } from './texts.js';

const parts = ['events', 'channels', 'policies', 'silences', 'deliveries', 'webhooks'] as const;
export type Part = (typeof parts)[number];

/** Heading of a list of the area, and the way to the others. */
export function Head({ part }: { readonly part: Part }) {
  const text = alertTexts();
  return (
    <>
      <h1>{text.parts[part]}</h1>
      <nav class="tabs" aria-label={text.title}>
        {parts.map((one) => (
          <Link key={one} href={`/alerts/${one}`} aria-current={one === part ? 'page' : undefined}>
            {text.parts[one]}
          </Link>
        ))}
      </nav>
    </>
  );
}

/** Way from a page back to the list that it belongs to. */
export function Back({ part }: { readonly part: Part }) {
  return (
    <p class="small">
      <Link href={`/alerts/${part}`}>{alertTexts().parts[part]}</Link>
    </p>
  );
}
