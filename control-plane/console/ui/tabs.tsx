interface TabsProps {
  readonly tabs: readonly { readonly id: string; readonly label: string }[];
  readonly chosen: string;
  choose(id: string): void;
}

/** Parts of a view, one of which is shown. */
export function Tabs({ tabs, chosen, choose }: TabsProps) {
  return (
    <div class="tabs">
      {tabs.map(({ id, label }) => (
        <button key={id} type="button" aria-pressed={id === chosen} onClick={() => choose(id)}>
          {label}
        </button>
      ))}
    </div>
  );
}
