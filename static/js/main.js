/** The entry of every page. Pages work without it; class `ready` shows elements that need it. */
import "./times.js";
import "./sidebar.js";
import "./keys.js";

if (document.getElementById("transcript")) await import("./chat.js");
else await import("./pages.js");
document.documentElement.classList.add("ready");
