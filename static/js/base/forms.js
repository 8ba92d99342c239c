/** The forms of a page. */
import { $$ } from "./dom.js";

/** The forms that send to the same address, such as those of the settings. @param {string | null} action */
export const formsTo = (action) => /** @type {HTMLFormElement[]} */ ($$("main form[method=post]")).filter((f) => f.getAttribute("action") === action);
