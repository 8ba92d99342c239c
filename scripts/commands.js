// Writes docs/commands.md from the table in src/app/command/command.c and the English texts. Run by `make commands`;
// tests/rig/commands.test.js refuses an outdated file.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const DURING = { BESIDE: 'runs at once; the answer continues', STOPS: 'stops the answer', REFUSED: 'is refused until the answer has ended' };

/** The rows of the table: {name, args, help, group, during}; a hidden one has no help. */
export function commands() {
    const texts = JSON.parse(readFileSync(`${root}lang/en.json`, 'utf8')).command;
    const source = readFileSync(`${root}src/app/command/command.c`, 'utf8');
    const text = (key) => (key === 'NULL' ? null : texts[key.match(/^"command\.(\w+)"$/)[1]]);
    return [...source.matchAll(/^ {4}\{"(\w+)",\s*(NULL|"[\w.]+"),\s*(NULL|"[\w.]+"),\s*(NULL|"[\w.]+"),\s*COMMAND_(\w+),\s*\w+\},$/gm)]
        .map(([, name, args, help, group, during]) => ({ name, args: text(args), help: text(help), group: text(group), during: DURING[during] }));
}

export function document() {
    const shown = commands().filter((c) => c.help);
    const parts = [...new Set(shown.map((c) => c.group))].map((group) => [
        `## ${group}\n`,
        '| command | effect | during an answer |\n|---|---|---|',
        ...shown.filter((c) => c.group === group).map((c) => `| \`/${c.name}${c.args ? ` ${c.args}` : ''}\` | ${c.help} | ${c.during} |`),
        '',
    ].join('\n'));
    return `<!-- Written by scripts/commands.js from the table in src/app/command/command.c: make commands -->
# Commands

This page lists the commands that users can type. A line that begins with a slash and a word is a command, in the
message box of the page, in Telegram and at the prompt of \`alfred chat\`. A slash alone opens the list of commands;
without JavaScript, and at that prompt, it is \`/help\`. Arguments in brackets are optional. A command works on the
session that is open on the page, in the chat or in the terminal. \`/help\` lists the commands in the user's language.
The message box completes them after \`/\`.

The reply to an unknown command lists similar commands. On the page such a line can then be sent as a message. A path
such as \`/etc/passwd\`, a line that begins with two slashes, and a line with a blank before the slash are messages.

Programs run commands over the [API](api.md): \`GET\` and \`POST /api/commands\`. The buttons of a reply are commands,
too; some of these are not in this list.

${parts.join('\n')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(`${root}docs/commands.md`, document());
