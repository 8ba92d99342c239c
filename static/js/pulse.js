/** What runs pulses by an attribute: an endless animation of a style sheet draws the page sixty times a second. */
const PULSE_MS = 600;
const running = ".row-mark.running, .answer[data-live], .gauge[data-busy] .i";

if (!matchMedia("(prefers-reduced-motion: reduce)").matches)
  setInterval(() => document.querySelectorAll(running).forEach((el) => el.toggleAttribute("data-dim")), PULSE_MS);
