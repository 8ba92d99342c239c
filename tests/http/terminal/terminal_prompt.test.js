// alfred chat at a prompt, in a real terminal: editing, completion, Ctrl-C, pasted text, sizes of the window, questions
// of tools, and the session of the last time.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { after, test } from 'node:test';

import { startMcp, text, tool } from '../../fake/mcp.js';
import { answers, callsTool } from '../../fake/provider.js';
import { asksForAnswer, provide, send, sessionOf, serveFile } from '../../lib/chat.js';
import { home, plain, startTerminal } from '../../lib/pty.js';
import { PROGRAM, until } from '../../lib/rig.js';

const provider = await provide();
const door = await startMcp({ tools: [tool('unlock', { title: 'Unlock' })], call: () => text('The door is open.') });
after(() => door.stop());
const alfred = await serveFile({ env: provider.env, config: { 'mcp.door': { url: door.url, label: 'Door', tools: ['all'], ask: 'changes' } } });
const anna = await alfred.admin('anna');
const token = (await anna.postJson('/api/tokens', { name: 'terminal', scopes: 'read write chat' })).json.secret;
const PROMPT = /> $/;
const CTRL_C = '\x03';
const CTRL_D = '\x04';
const TAB = '\t';

/** `alfred chat ARGS` in a terminal, at its first prompt. */
async function start({ args = '', dir = home(), env = {}, columns, rows, at = PROMPT } = {}) {
    const terminal = startTerminal(`${PROGRAM} chat ${args}`, { env: { ...alfred.env, HOME: dir, ALFRED_TOKEN: token, ...env }, cwd: alfred.dir, columns, rows });
    after(() => terminal.kill());
    await terminal.shows(at);
    return Object.assign(terminal, { dir });
}
const stateOf = (dir, name) => `${dir}/.local/state/alfred/localhost_${alfred.httpsPort}/${name}`;
const sessionIn = (dir) => readFileSync(stateOf(dir, 'session'), 'utf8').trim();
const callFor = (text) => provider.call((c) => asksForAnswer(c) && c.asks(text));
const answer = (text, reply) => provider.next(answers(reply), (c) => asksForAnswer(c) && c.asks(text));
/** The text of an answer that stays on the screen: lines that were written again count once. */
// eslint-disable-next-line no-control-regex
const remains = (raw) => plain(raw.replace(/(?:[^\n]*\n)?\x1b\[1A\r\x1b\[J/g, ''));

test('an answer is rendered, wrapped at the window, and the program ends with Ctrl-D', async () => {
    const terminal = await start({ columns: 40 });
    answer('Hällo 日本', '# Title\n\nSome **bold** words that are longer than a line.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nIt is $x^2$.');
    terminal.type('Hällo 日本\r');
    await terminal.shows(/It is x²\.\s*> $/);
    assert.match(remains(terminal.raw), /Title\n\nSome bold words that are longer than a\nline\.\n\na │ b\n──┼──\n1 │ 2\n/);
    assert.match(terminal.raw, /\x1b\[0;1mbold\x1b\[0m/);
    terminal.type(CTRL_D);
    assert.equal(await terminal.ends(), 0);
    assert.match(terminal.raw, /\x1b\[\?2004l[^h]*$/, 'the terminal marks no pasted text any more');
});

test('without colours nothing but the cursor is controlled, and a dumb terminal gets plain lines', async () => {
    const quiet = await start({ env: { NO_COLOR: '1' } });
    answer('no colours', '**bold** and `code`');
    quiet.type('no colours\r');
    await quiet.shows(/bold and `code`\s*> $/);
    assert.doesNotMatch(quiet.raw, /\x1b\[[0-9;]*m/);
    const dumb = await start({ env: { TERM: 'dumb' } });
    answer('dumb', 'one\n\n**two**');
    dumb.type('dumb\r');
    await dumb.shows(/one\n\ntwo\s*> $/);
    assert.doesNotMatch(dumb.raw, /\x1b/);
});

test('an answer grows line by line, and its control characters are removed', async () => {
    const terminal = await start();
    terminal.type('grow\r');
    const call = await callFor('grow');
    await call.start();
    await call.text('First \x1b[2J\x1b]0;line\x07 and');
    await terminal.shows(/First .*;line and\n$/);
    assert.doesNotMatch(terminal.raw, /\x1b\[2J/);
    assert.doesNotMatch(terminal.raw, /\x07/);
    await call.text(' more\n\nSecond');
    await terminal.shows(/Second\n$/);
    await call.end();
    await terminal.shows(PROMPT);
    assert.match(remains(terminal.raw), /First \[2J\]0;line and more\n\nSecond\n/);
});

test('Ctrl-C stops the answer and not the program; keys of that time are not shown', async () => {
    const terminal = await start();
    terminal.type('stop me\r');
    const call = await callFor('stop me');
    await call.start();
    await call.text('Half of it');
    await terminal.shows(/Half of it\n$/);
    assert.match(terminal.settings(), /-echo /);
    terminal.type('next');
    terminal.type(CTRL_C);
    await terminal.shows(/Stopped\.\n> $/);
    assert.doesNotMatch(terminal.seen, /next|\^C/);
    answer('after', 'still here');
    terminal.type('after\r');
    await terminal.shows(/still here\s*> $/);
    const { messages } = await sessionOf(anna, sessionIn(terminal.dir));
    assert.deepEqual(messages.map((m) => [m.text, m.status]), [['stop me', 'done'], ['Half of it', 'stopped'], ['after', 'done'], ['still here', 'done']]);
});

test('Ctrl-C drops the line; twice in a row it ends', async () => {
    const terminal = await start();
    terminal.type('not sent');
    await terminal.shows(/not sent$/);
    terminal.type(CTRL_C);
    await terminal.shows(/Ctrl-C again or Ctrl-D ends\.\n> $/);
    answer('sent', 'got it');
    terminal.type('sent\r');
    await terminal.shows(/got it\s*> $/);
    terminal.type(CTRL_C);
    await terminal.shows(/Ctrl-C again/);
    terminal.type(CTRL_C);
    assert.equal(await terminal.ends(), 0);
});

test('a message has several lines by pasting, by a backslash and between quotes', async () => {
    const terminal = await start();
    answer('one\n  two\nthree', 'pasted');
    terminal.type('\x1b[200~one\r  two\rthree\x1b[201~');
    await terminal.shows(/three$/);
    terminal.type('\r');
    await terminal.shows(/pasted\s*> $/);
    answer('größer\n日本 😀\nEnde', 'in any script');
    terminal.type('\x1b[200~größer\r日本 😀\rEnde\x1b[201~');
    await terminal.shows(/Ende$/);
    terminal.type('\r');
    await terminal.shows(/in any script\s*> $/);
    answer('instead', 'too much is dropped');
    terminal.type(`\x1b[200~${'x\r'.repeat(600_000)}\x1b[201~instead\r`);
    await terminal.shows(/^(?:[^x]*)too much is dropped\s*> $/);
    answer('first\nsecond', 'continued');
    terminal.type('first\\\r');
    await terminal.shows(/\. $/);
    terminal.type('second\r');
    await terminal.shows(/continued\s*> $/);
    answer('a\n\nb', 'quoted');
    terminal.type('"""\r');
    await terminal.shows(/\. $/);
    terminal.type('a\r\rb\r"""\r');
    await terminal.shows(/quoted\s*> $/);
});

test('the history is kept for the next time, for its owner only', async () => {
    const terminal = await start();
    answer('remember this line', 'ok');
    terminal.type('remember this line\r');
    await terminal.shows(/ok\s*> $/);
    terminal.type(CTRL_D);
    await terminal.ends();
    assert.equal(statSync(stateOf(terminal.dir, 'history')).mode & 0o777, 0o600);
    const again = await start({ dir: terminal.dir });
    answer('remember this line', 'ok again');
    again.type('\x1b[A');
    await again.shows(/remember this line/);
    again.type('\r');
    await again.shows(/ok again\s*> $/);
});

test('the last session goes on, with its title; a deleted one is told', async () => {
    const terminal = await start();
    answer('my first words', 'noted');
    terminal.type('my first words\r');
    await terminal.shows(/noted\s*> $/);
    terminal.type(CTRL_D);
    await terminal.ends();
    const id = sessionIn(terminal.dir);
    assert.equal((await anna.request('PATCH', `/api/sessions/${id}`, { json: { title: 'Evil \u009b31m title' } })).status < 500, true);
    await anna.request('PATCH', `/api/sessions/${id}`, { json: { title: 'The garden' } });
    const again = await start({ dir: terminal.dir, at: /anna at localhost:\d+: The garden\..*> $/s });
    answer('more', 'also noted');
    again.type('more\r');
    await again.shows(/also noted\s*> $/);
    assert.equal((await sessionOf(anna, id)).messages.length, 4);
    await anna.request('DELETE', `/api/sessions/${id}`, { json: {} });
    answer('anyone?', 'here');
    again.type('anyone?\r');
    await again.shows(/The session was deleted\. A new one begins\.\n.*here\s*> $/s);
    assert.notEqual(sessionIn(terminal.dir), id);
});

test('an answer that is being written elsewhere is shown first', async () => {
    const terminal = await start();
    answer('begin', 'begun');
    terminal.type('begin\r');
    await terminal.shows(/begun\s*> $/);
    await send(anna, 'from the browser', { session: sessionIn(terminal.dir) });
    const call = await callFor('from the browser');
    await call.start();
    await call.text('for the browser');
    answer('from here', 'for the terminal');
    terminal.type('from here\r');
    await terminal.shows(/Your message follows it\.\n.*for the browser\n$/s);
    await call.end();
    await terminal.shows(/for the terminal\s*> $/);
});

test('nothing is lost or doubled when the connection breaks in the middle of an answer', async () => {
    const terminal = await start();
    terminal.type('break\r');
    const call = await callFor('break');
    await call.start();
    await call.text('begin ');
    await terminal.shows(/begin\n$/);
    for (const p of alfred.processes().filter((each) => each.command.includes('nginx: worker'))) process.kill(p.pid, 'SIGKILL');
    await terminal.shows(/Connecting again\.$/);
    await call.text('end');
    await call.end();
    await terminal.shows(/begin end\n> $/);
});

test('a message waits for a server that restarts', async () => {
    const terminal = await start();
    for (const pid of alfred.pids('stream')) process.kill(pid, 'SIGSTOP');
    const pids = alfred.pids('stream');
    answer('anybody there?', 'I am back');
    terminal.type('anybody there?\r');
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await terminal.shows(/I am back\s*> $/);
    assert.equal((await sessionOf(anna, sessionIn(terminal.dir))).messages.length, 2);
});

test('without a terminal on both sides a message is needed', async () => {
    const terminal = startTerminal(`${PROGRAM} chat | cat`, { env: { ...alfred.env, HOME: home(), ALFRED_TOKEN: token }, cwd: alfred.dir });
    after(() => terminal.kill());
    await terminal.shows(/There is no message/);
    await terminal.ends();
});

test('the size of the window is that of the next block', async () => {
    const terminal = await start({ columns: 60 });
    terminal.type('resize\r');
    const call = await callFor('resize');
    const words = 'eleven chars '.repeat(6).trim();
    await call.start();
    await call.text(`${words}\n\nx`);
    await terminal.shows(/x\n$/);
    assert.ok(terminal.seen.split('\n').some((line) => line.length > 45));
    terminal.resize(30);
    await call.text(`\n\n${words}\n\nend`);
    await call.end();
    await terminal.shows(/end\n> $/);
    for (const line of terminal.seen.split('\n')) assert.ok(line.length < 30, line);
});

test('Tab completes sessions by id and by words of the title', async () => {
    const terminal = await start();
    answer('completion', 'ok');
    terminal.type('completion\r');
    await terminal.shows(/ok\s*> $/);
    const id = sessionIn(terminal.dir);
    await anna.request('PATCH', `/api/sessions/${id}`, { json: { title: 'Zeppelins over Bonn' } });
    terminal.type(`/resume ${id.slice(0, 12)}${TAB}`);
    await terminal.shows(/ses_/);
    terminal.type('\x15');
    terminal.type(`/resume Zeppelins${TAB}`);
    await terminal.shows(new RegExp(`/resume .*${id} $`)); // the words are replaced
});

test('commands run on the server, complete after a slash, and their buttons are numbers', async () => {
    const terminal = await start();
    terminal.type(`/hel${TAB}`);
    await terminal.shows(/\/help $/);
    terminal.type('\r');
    await terminal.shows(/\/sessions.*> $/s);
    assert.match(terminal.seen, /\/resume/);
    answer('for the list', 'listed');
    terminal.type('for the list\r');
    await terminal.shows(/listed\s*> $/);
    const first = sessionIn(terminal.dir);
    terminal.type('/new Another one\r');
    await terminal.shows(/> $/);
    answer('in the new one', 'yes');
    terminal.type('in the new one\r');
    await terminal.shows(/yes\s*> $/);
    assert.notEqual(sessionIn(terminal.dir), first);
    terminal.type(`/resume ${first}\r`);
    await terminal.shows(/> $/);
    await until('the session is resumed', () => sessionIn(terminal.dir) === first);
    terminal.type('/frobnicate\r');
    await terminal.shows(/frobnicate.*> $/s);
    terminal.type('/session xyz xyz\r');
    await terminal.shows(/> $/);
    terminal.type('/quit\r');
    assert.equal(await terminal.ends(), 0);
});

test('/retry is a new answer, followed here; /export writes a file and replaces none', async () => {
    const dir = home();
    const terminal = await start({ dir });
    answer('try this', 'first try');
    terminal.type('try this\r');
    await terminal.shows(/first try\s*> $/);
    answer('try this', 'second try');
    terminal.type('/retry\r');
    await terminal.shows(/second try\s*> $/);
    await until('it has the title that names the file', async () => (await anna.getJson(`/api/sessions/${sessionIn(terminal.dir)}`)).session.title === 'A short title');
    terminal.type('/export\r');
    const [, name] = await terminal.shows(/Saved as ([^\n]+)\.\n> $/);
    after(() => rmSync(`${alfred.dir}/${name}`, { force: true }));
    assert.match(readFileSync(`${alfred.dir}/${name}`, 'utf8'), /second try/);
    assert.equal(statSync(`${alfred.dir}/${name}`).mode & 0o777, 0o600);
    terminal.type('/export\r');
    await terminal.shows(/ exists already\. Nothing was written\. Remove the file, or choose another name\.\n> $/);
});

test('a question of a tool is asked at the prompt and answered with yes or no', async () => {
    const task = (await anna.postJson('/api/tasks', { text: 'Feed the cat' })).json.task;
    const terminal = await start();
    for (const [word, left] of [['no', true], ['yes', false]]) {
        const text = `What about the cat? ${word}`;
        const asks = (c) => asksForAnswer(c) && c.asks(text);
        provider.next(callsTool('delete_task', { task: task.id }), asks);
        provider.next(answers('I asked you.'), asks);
        terminal.type(`${text}\r`);
        await terminal.shows(/· delete_task .*I asked you\..*“Feed the cat”\s*yes or no\? $/s);
        terminal.type('perhaps\r');
        await terminal.shows(/yes or no\? $/);
        terminal.type(`${word}\r`);
        await terminal.shows(left ? /Not done\.\n> $/ : /Done\.\n> $/);
        assert.equal((await anna.getJson('/api/tasks')).tasks.some((t) => t.text === 'Feed the cat'), left);
    }
});

test('a call that waits for a permission is asked for while the answer runs', async () => {
    await until('the list of tools', () => alfred.sql('SELECT name FROM mcp_server WHERE listed_at > 0').length === 1);
    const terminal = await start(), before = door.calls.length;
    for (const [word, reply, calls] of [['yes', 'It is open.', 1], ['no', 'It stays closed.', 1]]) {
        const words = `Open the door, ${word}`, asks = (c) => asksForAnswer(c) && c.asks(words);
        provider.next(async (call) => {
            await call.start();
            await call.text('I try it.');
            await call.toolCall('door_unlock', { door: 'garden' });
            await call.end('tool_calls');
        }, asks);
        provider.next(answers(reply), asks);
        terminal.type(`${words}\r`);
        await terminal.shows(/Allow “Door: Unlock \(door: garden\)”\s*yes or no\? $/);
        terminal.type(`${word}\r`);
        await terminal.shows(new RegExp(`one\\.[^]*door_unlock[^]*${reply.replace('.', '\\.')}\\s*> $`));
        assert.equal(door.calls.length, before + calls);
    }
    assert.equal(plain(terminal.raw).match(/I try it\./g).length, 2, 'text before the question comes once');
    assert.equal(plain(terminal.raw).match(/Allow “/g).length, 2, 'each is asked once');
    const asks = (c) => asksForAnswer(c) && c.asks('Open it later');
    provider.next(callsTool('door_unlock', {}), asks);
    provider.next(answers('Now it is open.'), asks);
    terminal.type('Open it later\r');
    await terminal.shows(/yes or no\? $/);
    terminal.type('\r');
    await terminal.shows(/The question stays open\..*Waits for your permission\.$/s);
    const [waits] = (await anna.getJson('/api/suggestions')).suggestions;
    assert.equal((await anna.postJson(`/api/suggestions/${waits.id}/keep`, {})).status, 200);
    await terminal.shows(/Now it is open\.\s*> $/);
    assert.equal(plain(terminal.raw).match(/Allow “/g).length, 3, 'a question that was put off is not asked again');
});

test('SIGTERM gives the terminal back', async () => {
    const terminal = await start();
    terminal.type('end me\r');
    const call = await callFor('end me');
    await call.start();
    await call.text('words');
    await terminal.shows(/words\n$/);
    const before = terminal.settings();
    assert.match(before, /-echo /);
    const pid = Number(readFileSync(`/proc/${terminal.child.pid}/task/${terminal.child.pid}/children`, 'utf8').trim());
    // The terminal goes with its last program, so its settings are read while the program is being ended by a signal it handles.
    process.kill(pid, 'SIGTERM');
    await terminal.ends();
    assert.match(terminal.raw, /\x1b\[0m$/);
    await until('the answer goes on without the terminal', async () => (await call.text('x'), true));
    await call.end();
});
