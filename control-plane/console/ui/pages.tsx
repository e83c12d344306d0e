import { common } from '../texts/words.js';

/** Way to the pages of a list before and after this one. Nothing for a list of one page. */
export function Pages(props: {
  readonly page: number;
  readonly size: number;
  readonly total: number;
  onPage(page: number): void;
}) {
  const { page, size, total, onPage } = props;
  const text = common();
  const pages = Math.max(1, Math.ceil(total / size));
  if (pages === 1) return null;
  return (
    <nav class="row" aria-label={text.page(page, pages)}>
      <button type="button" class="quiet" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {text.previous}
      </button>
      <span class="small muted">{text.page(page, pages)}</span>
      <button type="button" class="quiet" disabled={page >= pages} onClick={() => onPage(page + 1)}>
        {text.next}
      </button>
    </nav>
  );
}
