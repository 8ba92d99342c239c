/** The entry of every page. The page works before this arrives; class `ready` shows what needs it. */
import "./times.js";
import "./sidebar.js";
import "./keys.js";

if (document.getElementById("transcript")) await import("./chat.js");
else await import("./pages.js");
document.documentElement.classList.add("ready");
