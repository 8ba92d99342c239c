/** What runs pulses by an attribute: an endless animation of a style sheet draws the page sixty times a second. */
const PULSE_MS = 600;
/** With what has the caret of an answer (live.css): an attribute of the answer itself would style all of it again. */
const last = ".answer[data-live] > .b:last-child > :last-child";
const running = `.row-mark.running, .gauge[data-busy] .i, .answer[data-live]:empty, ${last}:not(ul, ol), ${last} > li:last-child`;

if (!matchMedia("(prefers-reduced-motion: reduce)").matches)
  setInterval(() => document.querySelectorAll(running).forEach((el) => el.toggleAttribute("data-dim")), PULSE_MS);
