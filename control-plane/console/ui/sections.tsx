import { Link, useLocation } from 'wouter-preact';

/** Links to the views of an area; that of the address is marked. */
export function Sections(props: {
  readonly label: string;
  readonly sections: readonly { readonly path: string; readonly label: string }[];
}) {
  const [path] = useLocation();
  // the longest one that the address begins with: the first view of an area begins all of them
  const shown = props.sections
    .filter((section) => path === section.path || path.startsWith(`${section.path}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
  return (
    <nav class="tabs" aria-label={props.label}>
      {props.sections.map((section) => (
        <Link key={section.path} href={section.path} aria-current={section === shown ? 'page' : undefined}>
          {section.label}
        </Link>
      ))}
    </nav>
  );
}
