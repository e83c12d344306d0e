import { useState } from 'preact/hooks';
import { common } from '../texts/words.js';

/** Lines to copy, with a button. */
export function Copy({ text }: { readonly text: string }) {
  const words = common();
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), 2_000);
  };
  return (
    <div class="command">
      <pre tabIndex={0}>{text}</pre>
      <button type="button" class="quiet" onClick={() => void copy()} aria-live="polite">
        {isCopied ? words.copied : words.copy}
      </button>
    </div>
  );
}
