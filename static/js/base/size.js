import { locale, t } from "texts-later";

const UNITS = ["KB", "MB", "GB"];

/** A size in words, as the server writes it (lang_add_bytes()). @param {number} n bytes @param {(x: number) => number} [round] Math.floor for a limit */
export function size(n, round = Math.ceil) {
  if (n < 1024) return t.n_bytes({ n });
  let i = 0, unit = 1024;
  for (; i < 2 && round(n / unit) >= 1024; i++) unit *= 1024;
  const tenths = round(n * 10 / unit);
  return `${(i && tenths < 100 ? tenths / 10 : round(n / unit)).toLocaleString(locale)}\u00a0${UNITS[i]}`;
}
