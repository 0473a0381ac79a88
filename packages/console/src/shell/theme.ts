import { Store } from '../store.js';

export type Theme = 'system' | 'light' | 'dark';

const KEPT = 'pelorus-console-theme';

function kept(): Theme {
  try {
    const theme = localStorage.getItem(KEPT);
    return theme === 'light' || theme === 'dark' ? theme : 'system';
  } catch {
    return 'system';
  }
}

export const theme = new Store<Theme>(kept());

/** Sets the colours that were chosen; those of the system are by the style sheet alone. */
export function applyTheme(): void {
  if (theme.value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
}

export function chooseTheme(chosen: Theme): void {
  theme.set(chosen);
  applyTheme();
  try {
    if (chosen === 'system') localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, chosen);
  } catch {
    // The browser keeps nothing: the choice lives as long as the page.
  }
}
