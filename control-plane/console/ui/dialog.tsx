import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Failure } from '../api/failure.js';
import { common } from '../texts/words.js';
import { FailureNote } from './states.js';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** True if Escape does not close it. */
  readonly isKept?: boolean;
  onClose(): void;
}

/** A dialog over the page; the browser keeps the focus in it, and gives it back at the end. */
export function Dialog({ title, children, isKept = false, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={heading}
      onClose={onClose}
      // `cancel` alone: a second Escape closes a dialog in spite of it
      {...(isKept && { closedby: 'none', onCancel: (event: Event) => event.preventDefault() })}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Word of the button that acts. */
  readonly act: string;
  /** Name that the person must enter; absent if a click suffices. */
  readonly name?: string;
  /** True if the act takes nothing away. */
  readonly isHarmless?: boolean;
  onAct(): Promise<unknown>;
  onClose(): void;
}

/** Asks before an act with consequences, and shows why it was refused. Fields among its children are checked first. */
export function Confirm({ title, children, act, name, isHarmless = false, onAct, onClose }: ConfirmProps) {
  const text = common();
  const [entered, setEntered] = useState('');
  const { isBusy, failure, run } = useAct(async () => {
    await onAct();
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stacked"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <div>{children}</div>
        {name !== undefined && (
          <label>
            {text.confirmName(name)}
            <input value={entered} onInput={(event) => setEntered(event.currentTarget.value)} autocomplete="off" />
          </label>
        )}
        {failure !== null && <FailureNote failure={failure} />}
        <div class="row">
          <button
            type="submit"
            class={isHarmless ? undefined : 'danger'}
            disabled={isBusy || (name !== undefined && entered.trim() !== name)}
          >
            {act}
          </button>
          <button type="button" class="quiet" onClick={onClose}>
            {text.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** An act of the person: it runs once at a time, and its refusal is kept for the page to show. */
export function useAct<A extends readonly unknown[]>(perform: (...args: A) => Promise<unknown>) {
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const run = async (...args: A) => {
    if (isBusy) return;
    setIsBusy(true);
    setFailure(null);
    try {
      await perform(...args);
    } catch (error) {
      setFailure(error instanceof Failure ? error : new Failure({ code: 'CONSOLE_ERROR', message: String(error) }));
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, failure, run, clear: () => setFailure(null) };
}
