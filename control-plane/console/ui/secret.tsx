import { useEffect } from 'preact/hooks';
import { common } from '../texts/words.js';
import { Copy } from './copy.js';
import { Dialog } from './dialog.js';

/** A secret that is shown this once: nothing but its button closes the dialog, and the browser warns before it leaves the page. */
export function SecretOnce(props: { readonly title: string; readonly secret: string; onClose(): void }) {
  const text = common();
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
  return (
    <Dialog title={props.title} isKept onClose={props.onClose}>
      <p class="warn">{text.secretOnce}</p>
      <Copy text={props.secret} />
      <button type="button" onClick={props.onClose}>
        {text.secretStored}
      </button>
    </Dialog>
  );
}
