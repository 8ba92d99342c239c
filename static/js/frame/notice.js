/** Says the notice that came with the page, which no live region says. If stay.js has made a toast of it, that is said. */
import { $ } from "../base/dom.js";
import { say } from "../base/a11y.js";

say($("main > .flash p")?.textContent ?? "");
