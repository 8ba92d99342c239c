/** The entry of every page. Class `ready` shows elements that need it. */
import { load } from "./base/api.js";
import "./frame/sidebar.js";
import "./frame/keys.js";

// A module that did not arrive is loaded with its next use.
addEventListener("unhandledrejection", (e) => /import/i.test(e.reason?.message) && e.preventDefault());

if (document.getElementById("transcript")) await import("./chat/chat.js");
else await import("./pages/pages.js");
document.documentElement.classList.add("ready");
if (document.querySelector(".flash")) void import("./frame/notice.js");

// Changes elsewhere; a failed load is tried again.
const live = (wait = 1000) => setTimeout(() => load("frame/changes").catch(() => live(Math.min(2 * wait, 60_000))), wait);
if (document.documentElement.dataset.live) document.readyState === "complete" ? live() : addEventListener("load", () => live());
