import { signal } from '@preact/signals';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** Theme of this browser; the document applies it before anything is drawn. */
export const theme = signal<Theme>(stored());

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  if (chosen === 'system') {
    localStorage.removeItem('theme');
    delete document.documentElement.dataset['theme'];
  } else {
    localStorage.setItem('theme', chosen);
    document.documentElement.dataset['theme'] = chosen;
  }
}

function stored(): Theme {
  const name = localStorage.getItem('theme');
  return themes.find((candidate) => candidate === name) ?? 'system';
}
