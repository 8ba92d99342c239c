// A table for tests with long files.
const STATES = ['paid', 'open', 'failed', 'paid'];

/** One row, numbered from 1 on: each has a note that no other row has. */
export const row = (i) => `${i},2026-${String(1 + (i % 12)).padStart(2, '0')}-${String(1 + (i % 28)).padStart(2, '0')},customer ${(i * 7919) % 1000},${STATES[i % 4]},${((i * 31) % 100_000) / 100},the note of row ${i} has some words`;
/** A CSV file with a head. Every fourth row is failed. */
export const rows = (n) => `id,date,customer,status,amount,note\n${Array.from({ length: n }, (_, i) => `${row(i + 1)}\n`).join('')}`;
/** A file as the message box adds it to a message. */
export const block = (name, text) => `${name}\n\`\`\`\n${text}\`\`\``;
