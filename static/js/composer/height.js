/** The height of the message box, where the browser has no `field-sizing`. */
import { need } from "../base/dom.js";

const box = need("#text", HTMLTextAreaElement);

function fit() {
  const y = scrollY; // the page is shorter for a moment
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
  if (scrollY !== y) scrollTo(0, y);
}
box.addEventListener("input", fit);
fit();
