/** Copying of a code block. Loaded with the first use. @import {El} from "../types" */
import { t as first } from "texts";
import { t } from "texts-later";
import { report, say } from "../base/a11y.js";

const SHOWN_MS = 1500;

/** @param {El} button */
export async function copyCode(button) {
  try {
    await navigator.clipboard.writeText(button.closest(".code")?.querySelector("code")?.textContent ?? "");
  } catch { return report(new Error(t.no_copying)); }
  button.textContent = t.copied;
  say(t.copied);
  setTimeout(() => { button.textContent = first.copy; }, SHOWN_MS);
}
