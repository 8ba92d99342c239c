/** The entry of every page. Pages work without it; class `ready` shows elements that need it. */
import "./sidebar.js";
import "./keys.js";

if (document.getElementById("transcript")) await import("./chat.js");
else await import("./pages.js");
document.documentElement.classList.add("ready");

// The server's words for times are right for a minute. A page from the browser's cache is older.
const times = () => void import("./times.js").then((m) => m.refresh());
setTimeout(times, 60_000);
addEventListener("pageshow", (e) => e.persisted && times());
