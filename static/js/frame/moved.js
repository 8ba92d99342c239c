/** Theme and send key of versions that kept them in the browser: moved to the server's settings once, unless those have a choice. */
import { $, store } from "../base/dom.js";
import { api } from "../base/api.js";

const { theme: chosen, sendKey } = document.documentElement.dataset;
const theme = store.get("alfred.theme"), modSends = store.get("alfred.send") === "mod-enter";
const change = { ...(!chosen && (theme === "light" || theme === "dark") && { theme }), ...(!sendKey && modSends && { send_key: "mod_enter" }) };
if (Object.keys(change).length) await api("PATCH", "/api/settings", change);
store.set("alfred.theme", null);
store.set("alfred.send", null);
const box = $("#text");
if (Object.keys(change).length && !(box instanceof HTMLTextAreaElement && box.value)) location.reload();
