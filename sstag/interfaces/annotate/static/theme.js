// Dark or light: as the system has it, unless somebody chose.

const PLACE = "sstag-theme";
const THEMES = ["auto", "light", "dark"];

export const theme = () => localStorage.getItem(PLACE) ?? "auto";

export function applyTheme() {
  document.documentElement.dataset.theme = theme();
}

/** Goes on to the next theme. */
export function turnTheme() {
  localStorage.setItem(PLACE, THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);
  applyTheme();
}
