/** Marks of running work pulse by an attribute, because an endless animation of a style sheet draws the page sixty times a second. */
const PULSE_MS = 600;
/** A short query: it looks at all elements of a long session. */
const running = ".row-mark.running, .gauge[data-busy] .i, .answer[data-live]";
/** The last paragraph or item of an answer has its caret (live.css). An attribute on the answer would style all of it again. */
const last = ":scope > .b:last-child > :last-child";
const caret = `${last}:not(ul, ol), ${last} > li:last-child`;

if (!matchMedia("(prefers-reduced-motion: reduce)").matches)
  setInterval(() => document.querySelectorAll(running).forEach((el) => (el.querySelector(caret) ?? el).toggleAttribute("data-dim")), PULSE_MS);
