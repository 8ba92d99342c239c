/** A text in Unicode isolates, for the middle of a sentence. @param {string} text */
export const isolated = (text) => /[^\x00-\x7f]/.test(text) ? `\u2068${text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "")}\u2069` : text;
